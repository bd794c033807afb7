/** Places the links of a case in columns, and selects the lines between them. Pure. */
import type { CaseEdge, CaseLink } from '../../../../src/modules/reviews/cases/schema.ts'

export type Node = { link: CaseLink; x: number; y: number }
export type Line = { from: Node; to: Node; items: number }
export type Graph = {
  nodes: Node[]
  lines: Line[]
  height: number
  /** Links for which there was no place. */
  left_out: number
}

export const NODE_WIDTH = 150
export const NODE_HEIGHT = 44
export const GRAPH_WIDTH = 720
const ROW_HEIGHT = 58
const ROWS_MAX = 6

/** From where something was paid to who was behind it. */
const COLUMNS: readonly (readonly CaseLink['kind'][])[] = [
  ['terminal', 'store', 'payment'],
  ['profile', 'cashier'],
  ['device'],
  ['address'],
]

export function graphOf(links: readonly CaseLink[], edges: readonly CaseEdge[]): Graph {
  const columns = COLUMNS.map((kinds) => links.filter(({ kind }) => kinds.includes(kind)))
  const step = (GRAPH_WIDTH - NODE_WIDTH) / (COLUMNS.length - 1)
  const rows = Math.max(1, ...columns.map((column) => Math.min(ROWS_MAX, column.length)))
  const nodes = columns.flatMap((column, index) => {
    const shown = column.slice(0, ROWS_MAX)
    const top = ((rows - shown.length) * ROW_HEIGHT) / 2
    return shown.map((link, row): Node => ({ link, x: index * step, y: top + row * ROW_HEIGHT }))
  })
  const byName = new Map(nodes.map((node) => [nameOf(node.link), node]))
  const lines = edges.flatMap(({ from, to, items }): Line[] => {
    const ends = [byName.get(nameOf(from)), byName.get(nameOf(to))]
    const [left, right] = ends.filter((node) => node !== undefined).toSorted((a, b) => a.x - b.x)
    // Lines across a column would cross its nodes, and what they show follows from the others.
    if (!left || !right || right.x - left.x !== step) return []
    return [{ from: left, to: right, items }]
  })
  const placed = columns.reduce((sum, column) => sum + column.length, 0)
  return { nodes, lines, height: rows * ROW_HEIGHT, left_out: placed - nodes.length }
}

const nameOf = ({ kind, value }: Pick<CaseLink, 'kind' | 'value'>): string => `${kind} ${value}`
