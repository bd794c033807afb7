import type { ErrorGroupRecord } from '../schema.ts'
import type { StoredGroup } from './error-groups.store.ts'
import { isoTime } from './record.ts'

/** Converts a stored error group into the record that readings return. */
export const errorGroupRecordOf = ({
  error_type,
  first_ms,
  last_ms,
  ...group
}: StoredGroup): ErrorGroupRecord => ({
  ...group,
  error_type: error_type === '' ? null : error_type,
  first_seen: isoTime(first_ms),
  last_seen: isoTime(last_ms),
})
