/** The content of a message, before it is written in the format of a channel. Pure. */
import { rankOf, type Severity, titleOfSeveral } from '../catalog.ts'
import type { Item, Step } from '../tables.ts'

export type Summary = {
  /** One line. */
  title: string
  severity: Severity
  /** At most `LINES_MAX`, of which each has an absolute link. */
  lines: Line[]
  /** Number of notifications that are not among the lines. */
  omitted: number
  /** The page that shows the only notification, or the list of all. */
  url: string
}

export type Line = { text: string; detail: string | null; url: string; at: string }

/** Address of the pages of an organization, without a slash at the end. */
export type PagesOf = (orgId: string) => string

const LINES_MAX = 20
const PREFIX: Readonly<Record<Step, string>> = {
  started: '',
  repeated: 'Still: ',
  resolved: 'Resolved: ',
  test: '',
}

export function summaryOf(items: readonly Item[], pages: string): Summary {
  const [first] = items
  const severity = items.reduce<Severity>(
    (most, item) => (rankOf(item.severity) > rankOf(most) ? item.severity : most),
    'notice',
  )
  const lines = items.slice(0, LINES_MAX).map((item) => ({
    text: `${PREFIX[item.step]}${item.title}`,
    detail: item.detail,
    url: `${pages}${item.link}`,
    at: item.at,
  }))
  const isOne = items.length === 1
  return {
    title: isOne ? (lines[0]?.text ?? '') : titleOf(items),
    severity,
    lines,
    omitted: items.length - lines.length,
    url: isOne && first ? `${pages}${first.link}` : `${pages}/notifications`,
  }
}

function titleOf(items: readonly Item[]): string {
  const subjects = new Set(items.map(({ subject }) => subject))
  const steps = new Set(items.map(({ step }) => step))
  const [subject = ''] = subjects
  const [step = 'started'] = steps
  if (subjects.size > 1 || steps.size > 1) return `${items.length} notifications`
  return `${PREFIX[step]}${titleOfSeveral(subject, items.length)}`
}

/** The message as plain text. */
export function textOf({ title, lines, omitted, url }: Summary): string {
  const paragraphs = lines.map(({ text, detail, at, url: link }) =>
    [
      text,
      ...(detail === null ? [] : [detail]),
      `${at.slice(0, 16).replace('T', ' ')} UTC`,
      link,
    ].join('\n'),
  )
  const more = omitted > 0 ? [`${omitted} more: ${url}`] : []
  return [...(lines.length === 1 ? [] : [title]), ...paragraphs, ...more].join('\n\n')
}
