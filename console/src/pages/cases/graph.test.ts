import { describe, expect, it } from 'vitest'
import type { CaseLink } from '../../../../src/modules/reviews/cases/schema.ts'
import { GRAPH_WIDTH, graphOf, NODE_WIDTH } from './graph.ts'

const link = (kind: CaseLink['kind'], value: string): CaseLink => ({
  kind,
  value,
  items: 1,
  all_items: 1,
  frauds: 0,
  customers: 1,
})

describe('the graph of a case', () => {
  it('has terminals, customers, devices and addresses from left to right', () => {
    const links = [
      link('address', 'a'),
      link('device', 'd'),
      link('profile', 'p'),
      link('terminal', 't'),
    ]
    const { nodes } = graphOf(links, [])
    const kinds = nodes.toSorted((a, b) => a.x - b.x).map((node) => node.link.kind)
    expect(kinds).toEqual(['terminal', 'profile', 'device', 'address'])
    expect(Math.max(...nodes.map(({ x }) => x))).toBe(GRAPH_WIDTH - NODE_WIDTH)
  })

  it('connects neighbors that occur together, in either direction', () => {
    const links = [link('profile', 'p'), link('device', 'd'), link('address', 'a')]
    const edge = (from: CaseLink | undefined, to: CaseLink | undefined) => ({
      from: from ?? link('store', 'x'),
      to: to ?? link('store', 'x'),
      items: 2,
    })
    const edges = [edge(links[1], links[0]), edge(links[2], links[1]), edge(links[2], links[0])]
    const { lines } = graphOf(links, [...edges, edge(links[0], link('device', 'unknown'))])
    const names = lines.map(({ from, to }) => `${from.link.value}-${to.link.value}`)
    expect(names).toEqual(['p-d', 'd-a'])
  })

  it('shows six of a kind, and says how many are left out', () => {
    const links = Array.from({ length: 9 }, (_, index) => link('device', String(index)))
    const { nodes, left_out } = graphOf(links, [])
    expect([nodes.length, left_out]).toEqual([6, 3])
    expect(new Set(nodes.map(({ y }) => y)).size).toBe(6)
    expect(graphOf([], [])).toMatchObject({ nodes: [], lines: [], left_out: 0 })
  })
})
