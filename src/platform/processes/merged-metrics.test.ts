import { describe, expect, it } from 'vitest'
import { createMetrics, type Metrics } from '../metrics.ts'
import type { Child } from './child.ts'
import { createMergedMetrics } from './merged-metrics.ts'

type Member = { child: Child; metrics: Metrics; end: () => void }

/** A process that answers questions as the real one does, without being one. */
function newMember(): Member {
  const metrics = createMetrics()
  let end = () => {}
  const ended = new Promise<string>((resolve) => {
    end = () => resolve('SIGKILL')
  })
  const passed = async () => JSON.parse(JSON.stringify(await metrics.snapshot())) as unknown
  const channel = { ask: passed, answer: () => {}, on: () => {}, send: () => {} }
  const child: Child = {
    pid: 1,
    role: 'api',
    channel,
    socket: '',
    ready: Promise.resolve(),
    ended,
    take: async () => {},
    stop: async () => {},
  }
  return { child, metrics, end }
}

function newService(count: number) {
  const members = Array.from({ length: count }, newMember)
  const running = new Set(members.map(({ child }) => child))
  const merged = createMergedMetrics({
    own: createMetrics().snapshot,
    children: () => running,
  })
  for (const { child } of members) merged.watch(child)
  const valueOf = async (line: string) => {
    const { text } = await merged.render()
    const found = text.split('\n').find((one) => one.startsWith(`${line} `))
    return found === undefined ? undefined : Number(found.slice(line.length))
  }
  return { members, running, valueOf }
}

const COUNTER = 'vigil_lookups_total{kind="mail",outcome="known"}'

describe('the metrics of several processes', () => {
  it('add up what each has counted, also after one has ended', async () => {
    const { members, running, valueOf } = newService(2)
    const [first, second] = members
    first?.metrics.countLookup('mail', 'known')
    second?.metrics.countLookup('mail', 'known')
    expect(await valueOf(COUNTER)).toBe(2)

    if (first) running.delete(first.child)
    first?.end()
    await expect.poll(() => valueOf(COUNTER)).toBe(2)
    second?.metrics.countLookup('mail', 'known')
    expect(await valueOf(COUNTER)).toBe(3)
  })

  it('keep what processes have counted that end together', async () => {
    const { members, running, valueOf } = newService(3)
    for (const { metrics } of members) metrics.countLookup('mail', 'known')
    expect(await valueOf(COUNTER)).toBe(3)
    running.clear()
    for (const { end } of members) end()
    expect(await valueOf(COUNTER)).toBe(3)
    await expect.poll(() => valueOf(COUNTER)).toBe(3)
  })

  it('show what is the same in all processes once, and add up parts', async () => {
    const { members, valueOf } = newService(2)
    for (const { metrics } of members) {
      metrics.addGauges({
        label: 'kind',
        gauges: { backlog: 'rows of the database', held: 'rows of this process' },
        sums: ['held'],
        read: () => Promise.resolve([{ label: 'row', values: { backlog: 5, held: 5 } }]),
      })
    }
    expect(await valueOf('backlog{kind="row"}')).toBe(5)
    expect(await valueOf('held{kind="row"}')).toBe(10)
  })

  it('leave out what was not measured yet', async () => {
    const { valueOf } = newService(2)
    expect(await valueOf('nodejs_eventloop_lag_mean_seconds')).not.toBeNaN()
  })
})
