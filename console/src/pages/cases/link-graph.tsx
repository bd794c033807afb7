/** Customers, devices, addresses, payments and terminals of a case as a small graph. The table next to it says the same. */
import type { CaseDetails } from '../../../../src/modules/reviews/cases/schema.ts'
import { countText } from '../../components/index.ts'
import { KIND_NAMES } from './case-text.ts'
import styles from './cases.module.css'
import { GRAPH_WIDTH, graphOf, type Line, NODE_HEIGHT, NODE_WIDTH, type Node } from './graph.ts'

const VALUE_MAX_CHARS = 19

export function LinkGraph({ links, edges }: Pick<CaseDetails, 'links' | 'edges'>) {
  const { nodes, lines, height, left_out } = graphOf(links, edges)
  if (nodes.length < 2) return null
  const label = `Graph of ${countText(nodes.length, 'links')}. The table below lists them.`
  return (
    <figure class={styles['graph']}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls needs the keyboard */}
      <div class={styles['graph-scroll']} tabIndex={0} role="group" aria-label="Graph of the links">
        <svg viewBox={`0 0 ${GRAPH_WIDTH} ${height}`} role="img" aria-label={label}>
          {lines.map((line) => (
            <Connection key={keyOf(line.from) + keyOf(line.to)} {...line} />
          ))}
          {nodes.map((node) => (
            <Box key={keyOf(node)} {...node} />
          ))}
        </svg>
      </div>
      {left_out > 0 && <figcaption class="muted">{left_out} more are in the table.</figcaption>}
    </figure>
  )
}

const keyOf = ({ link: { kind, value } }: Node): string => `${kind} ${value}`

function Connection({ from, to, items }: Line) {
  return (
    <line
      x1={from.x + NODE_WIDTH}
      y1={from.y + NODE_HEIGHT / 2}
      x2={to.x}
      y2={to.y + NODE_HEIGHT / 2}
      class={styles['edge']}
      stroke-width={Math.min(5, 1 + Math.log2(items))}
    />
  )
}

function Box({ link: { kind, value, frauds }, x, y }: Node) {
  const shown =
    value.length <= VALUE_MAX_CHARS
      ? value
      : `${value.slice(0, VALUE_MAX_CHARS - 6)}…${value.slice(-4)}`
  return (
    <g transform={`translate(${x} ${y})`}>
      <title>{`${KIND_NAMES[kind]} ${value}: ${countText(frauds, 'decided frauds')}`}</title>
      <rect
        width={NODE_WIDTH}
        height={NODE_HEIGHT}
        rx={6}
        class={frauds > 0 ? styles['node-bad'] : styles['node']}
      />
      <text x={8} y={17} class={styles['node-kind']}>
        {KIND_NAMES[kind]}
        {frauds > 0 && ` · ${countText(frauds, 'frauds')}`}
      </text>
      <text x={8} y={35} class={styles['node-value']}>
        {shown}
      </text>
    </g>
  )
}
