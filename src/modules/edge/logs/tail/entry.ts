/** Reads the entries of a spooled batch, which are the lines of JSON that ClickHouse inserts. */
import type { StoredLog } from '../reading/record.ts'

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

export function entriesOf(payload: Buffer): StoredLog[] {
  return payload
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
