import type { ErrorGroupRecord } from '../../schema.ts'
import { isoTime } from '../record.ts'
import type { StoredGroup } from './store.ts'

/** A group of errors as its readers see it. */
export const shownGroup = ({
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
