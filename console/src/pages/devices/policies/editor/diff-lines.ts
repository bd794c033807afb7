import { structuredPatch } from 'diff'

export type DiffLine = {
  sign: '+' | '-' | ' '
  text: string
  /** Line numbers. One is undefined if the line is in the other text only. */
  before: number | undefined
  after: number | undefined
}
export type DiffHunk = { lines: DiffLine[] }
/** Lines side by side. One is undefined if the line is on the other side only. */
export type DiffPair = readonly [before: DiffLine | undefined, after: DiffLine | undefined]

const CONTEXT_LINES = 3

/** The time for the shortest edit script grows with the square of its length. */
const EDITS_MAX = 2000

export function diffLines(before: string, after: string): DiffHunk[] {
  // A final newline makes the last line equal to the others.
  const options = { context: CONTEXT_LINES, maxEditLength: EDITS_MAX }
  const patch = structuredPatch('', '', `${before}\n`, `${after}\n`, '', '', options)
  if (!patch) return [replaced(before.split('\n'), after.split('\n'))]
  return patch.hunks.map(({ lines, oldStart, newStart }) => {
    let [old, next] = [oldStart, newStart]
    return {
      // Skips the line "\ No newline at end of file".
      lines: lines.flatMap((line): DiffLine[] => {
        const text = line.slice(1)
        if (line.startsWith('-')) return [{ sign: '-', text, before: old++, after: undefined }]
        if (line.startsWith('+')) return [{ sign: '+', text, before: undefined, after: next++ }]
        return line.startsWith(' ') ? [{ sign: ' ', text, before: old++, after: next++ }] : []
      }),
    }
  })
}

/** For texts that differ almost everywhere: one hunk between their common start and end. */
function replaced(before: readonly string[], after: readonly string[]): DiffHunk {
  const common = Math.min(before.length, after.length)
  let head = 0
  while (head < common && before[head] === after[head]) head += 1
  let tail = 0
  while (tail < common - head && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1
  const [old, next] = [before.length - tail, after.length - tail]
  const same = (from: number, to: number, shift: number): DiffLine[] =>
    before.slice(from, to).map((text, index) => {
      const number = from + index + 1
      return { sign: ' ', text, before: number, after: number + shift }
    })
  return {
    lines: [
      ...same(Math.max(0, head - CONTEXT_LINES), head, 0),
      ...before.slice(head, old).map((text, index): DiffLine => {
        return { sign: '-', text, before: head + index + 1, after: undefined }
      }),
      ...after.slice(head, next).map((text, index): DiffLine => {
        return { sign: '+', text, before: undefined, after: head + index + 1 }
      }),
      ...same(old, old + CONTEXT_LINES, next - old),
    ],
  }
}

/** @returns the first lines, and the number of lines that were cut */
export function shortened(hunks: readonly DiffHunk[], linesMax: number): [DiffHunk[], number] {
  const shown: DiffHunk[] = []
  let left = linesMax
  let missing = 0
  for (const { lines } of hunks) {
    if (left > 0) shown.push({ lines: lines.slice(0, left) })
    missing += Math.max(0, lines.length - Math.max(0, left))
    left -= lines.length
  }
  return [shown, missing]
}

export function pairsOf(lines: readonly DiffLine[]): DiffPair[] {
  const pairs: DiffPair[] = []
  let [removed, added]: [DiffLine[], DiffLine[]] = [[], []]
  const flush = () => {
    const length = Math.max(removed.length, added.length)
    for (let at = 0; at < length; at += 1) pairs.push([removed[at], added[at]])
    ;[removed, added] = [[], []]
  }
  for (const line of lines) {
    if (line.sign === '-') removed.push(line)
    else if (line.sign === '+') added.push(line)
    else {
      flush()
      pairs.push([line, line])
    }
  }
  flush()
  return pairs
}
