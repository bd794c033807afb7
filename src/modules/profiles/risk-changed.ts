/** The event `profile.risk.changed`, which orders, profile upserts and decisions emit. */

import type { NewId } from '../../platform/ids.ts'
import type { Owner } from '../../platform/owner.ts'
import { type Row, rowFor } from '../../platform/postgres/rows.ts'
import { eventWriter } from '../events/index.ts'
import type { RiskLevel } from '../risk/index.ts'
import type { ProfileRecord } from './schema.ts'

export function riskChangedRow(
  newId: NewId,
  { org_id, mode }: Owner,
  data: { profile: ProfileRecord; previous_risk_level: RiskLevel },
  now: Date,
): Row {
  const type = 'profile.risk.changed'
  return rowFor(eventWriter, { id: newId(now), org_id, mode, type, data, occurred_at: now })
}
