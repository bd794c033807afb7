import { useMemo } from 'preact/hooks'
import { countText, numberText } from '../../../../components/index.ts'
import { ONE_COLUMN, useMedia } from '../../../../shell/media.ts'
import { type DiffHunk, type DiffLine, diffLines, pairsOf, shortened } from './diff-lines.ts'
import styles from './diff-view.module.css'

type Props = { label: string; before: string; after: string }

/** More lines would make the page unresponsive. */
const LINES_MAX = 4000
const WORDS: Record<DiffLine['sign'], string> = { '+': 'added', '-': 'removed', ' ': '' }

export function DiffView({ label, before, after }: Props) {
  const hunks = useMemo(() => diffLines(before, after), [before, after])
  const isWide = !useMedia(ONE_COLUMN)
  if (hunks.length === 0) return <p class="muted">No differences.</p>
  const lines = hunks.flatMap((hunk) => hunk.lines)
  const [shown, missing] = shortened(hunks, LINES_MAX)
  const count = (sign: DiffLine['sign']) => lines.filter((line) => line.sign === sign).length
  return (
    <div>
      <p class="muted">
        {countText(count('+'), 'lines')} added (+), {numberText(count('-'))} removed (−)
      </p>
      <div class={styles['frame']} role="region" aria-label={label} tabIndex={0}>
        <table class={styles['diff']}>
          <thead class="visually-hidden">
            <tr>
              {(isWide ? SPLIT_HEADS : UNIFIED_HEADS).map((head) => (
                <th key={head} scope="col">
                  {head}
                </th>
              ))}
            </tr>
          </thead>
          {shown.map((hunk, index) => (
            <tbody key={hunk.lines[0]?.before ?? hunk.lines[0]?.after ?? index}>
              {isWide ? splitRows(hunk) : unifiedRows(hunk)}
            </tbody>
          ))}
        </table>
      </div>
      {missing > 0 && <p class="muted">{countText(missing, 'more lines')} not shown.</p>}
    </div>
  )
}

const SPLIT_HEADS = ['Line before', 'Sign before', 'Before', 'Line after', 'Sign after', 'After']
const UNIFIED_HEADS = ['Line before', 'Line after', 'Sign', 'Text']

const unifiedRows = ({ lines }: DiffHunk) =>
  lines.map((line) => (
    <tr key={`${line.before} ${line.after}`}>
      <td class={styles['number']}>{line.before}</td>
      <td class={styles['number']}>{line.after}</td>
      <Cells line={line} />
    </tr>
  ))

const splitRows = ({ lines }: DiffHunk) =>
  pairsOf(lines).map(([before, after]) => (
    <tr key={`${before?.before} ${after?.after}`}>
      <td class={styles['number']}>{before?.before}</td>
      <Cells line={before} />
      <td class={styles['number']}>{after?.after}</td>
      <Cells line={after} />
    </tr>
  ))

function Cells({ line }: { line: DiffLine | undefined }) {
  const sign = line?.sign ?? ' '
  return (
    <>
      <td class={styles['sign']} data-sign={line ? sign : 'none'}>
        {sign === '-' ? '−' : sign}
        {WORDS[sign] !== '' && <span class="visually-hidden">{WORDS[sign]}</span>}
      </td>
      <td class={styles['line']} data-sign={line ? sign : 'none'}>
        {line?.text}
      </td>
    </>
  )
}
