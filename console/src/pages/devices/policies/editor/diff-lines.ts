/** The differences of two texts, line by line, with some lines around them. */
import { structuredPatch } from 'diff'

export type DiffLine = {
  sign: '+' | '-' | ' '
  text: string
  /** Numbers of lines; one is missing where the line is in one text only. */
  before: number | undefined
  after: number | undefined
}
export type DiffHunk = { lines: DiffLine[] }
/** Side by side; undefined where the other side has a line and this one has none. */
export type DiffPair = readonly [before: DiffLine | undefined, after: DiffLine | undefined]

const CONTEXT_LINES = 3

export function diffLines(before: string, after: string): DiffHunk[] {
  // The last line is a line like the others, whether something follows it or not.
  const options = { context: CONTEXT_LINES }
  const { hunks } = structuredPatch('', '', `${before}\n`, `${after}\n`, '', '', options)
  return hunks.map(({ lines, oldStart, newStart }) => {
    let [old, next] = [oldStart, newStart]
    return {
      // "\ No newline at end of file" is about files.
      lines: lines.flatMap((line): DiffLine[] => {
        const text = line.slice(1)
        if (line.startsWith('-')) return [{ sign: '-', text, before: old++, after: undefined }]
        if (line.startsWith('+')) return [{ sign: '+', text, before: undefined, after: next++ }]
        return line.startsWith(' ') ? [{ sign: ' ', text, before: old++, after: next++ }] : []
      }),
    }
  })
}

/** Lines that were taken away beside those that came in their place. */
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
