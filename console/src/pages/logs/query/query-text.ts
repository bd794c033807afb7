/** Edits the text of a log query: adds, removes and excludes conditions on a field. */

/** Ends an unquoted value, has a meaning in one, or would begin another value. */
const SPECIAL = /[\s*()]|^[<>]/

/**
 * The condition on a value as text. An empty value is the absence of one. The language has no way to
 * write a quote within quotes, so what surrounds one is compared with a `*` for it.
 */
export function conditionOn(field: string, value: string): string {
  if (value === '') return `-has:${field}`
  if (value.includes('"')) return `${field}:${value.replace(/["\s()*]+/g, '*')}`
  return `${field}:${SPECIAL.test(value) ? `"${value}"` : value}`
}

export const negated = (condition: string): string =>
  condition.startsWith('-') ? condition.slice(1) : `-${condition}`

export type ConditionState = 'included' | 'excluded' | undefined

/** Whether the query has the condition, or its negation, outside of groups. */
export function stateOf(q: string, condition: string): ConditionState {
  if (placeOf(q, condition) !== undefined) return 'included'
  return placeOf(q, negated(condition)) === undefined ? undefined : 'excluded'
}

/** Adds the condition, in place of its negation, or removes it if the query has it. */
export function toggled(q: string, condition: string): string {
  const own = placeOf(q, condition)
  if (own) return `${q.slice(0, own.start)} ${q.slice(own.end)}`.replace(/^ +| +$|( ) +/g, '$1')
  const opposite = placeOf(q, negated(condition))
  if (opposite) return q.slice(0, opposite.start) + condition + q.slice(opposite.end)
  const closed = withEnds(q.trim())
  if (closed === '') return condition
  return `${isAlternative(closed) ? `(${closed})` : closed} ${condition}`
}

type Place = { start: number; end: number }

function placeOf(q: string, condition: string): Place | undefined {
  for (let from = 0; ; ) {
    const start = q.indexOf(condition, from)
    if (start < 0) return undefined
    const end = start + condition.length
    const isWhole = /^$|\s/.test(q.charAt(start - 1)) && /^$|\s/.test(q.charAt(end))
    if (isWhole && depthAt(q, start) === 0) return { start, end }
    from = end
  }
}

/** The number of open groups, with an open quote counted as one. */
function depthAt(q: string, index: number): number {
  let depth = 0
  let isQuoted = false
  for (const char of q.slice(0, index)) {
    if (char === '"') isQuoted = !isQuoted
    else if (!isQuoted && char === '(') depth += 1
    else if (!isQuoted && char === ')') depth = Math.max(0, depth - 1)
  }
  return depth + (isQuoted ? 1 : 0)
}

/** Closes a quote and groups that end with the query, because something follows now. */
function withEnds(q: string): string {
  const quoted = (q.match(/"/g)?.length ?? 0) % 2 === 1 ? `${q}"` : q
  return quoted + ')'.repeat(depthAt(quoted, quoted.length))
}

const isAlternative = (q: string): boolean =>
  [...q.matchAll(/(?<=\s)OR(?=\s)/g)].some(({ index }) => depthAt(q, index) === 0)
