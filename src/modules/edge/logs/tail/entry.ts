/** Reads the entries of a spooled batch, which are the rows that ClickHouse inserts. */
import type { Payload } from '../../../../platform/spool/index.ts'
import type { StoredLog } from '../reading/record.ts'
import { logsOf } from '../row.ts'

const NOT_SENT = {
  category: '',
  environment: '',
  error_type: '',
  error_code: '',
  error_stack: '',
  error_fingerprint: '',
  data: '',
  trace_id: '',
  span_id: '',
}

type Line = Omit<StoredLog, 'received_at_ms'> & { received_at: string }

export const entriesOf = ({ rows, shape }: Payload): StoredLog[] =>
  shape === undefined ? logsOfLines(rows) : logsOf(rows)

/** Earlier versions wrote lines. */
function logsOfLines(lines: Buffer): StoredLog[] {
  return lines
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const { received_at, ...entry } = JSON.parse(line) as Line
      return {
        ...NOT_SENT,
        ...entry,
        tags: entry.tags ?? [],
        received_at_ms: Date.parse(`${received_at.replace(' ', 'T')}Z`),
      }
    })
}
