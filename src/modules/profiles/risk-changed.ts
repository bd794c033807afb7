/** `profile.risk.changed`, which orders, checks and decisions cause alike. */
import type { NewId } from '../../platform/ids.ts'
import type { Mode } from '../../platform/postgres/tables/platform.ts'
import { type Row, rowFor } from '../../platform/states/index.ts'
import { eventWriter } from '../events/index.ts'
import type { RiskLevel } from '../risk/index.ts'
import type { ProfileRecord } from './schema.ts'

export function riskChangedRow(
  newId: NewId,
  { org_id, mode }: { org_id: string; mode: Mode },
  data: { profile: ProfileRecord; previous_risk_level: RiskLevel },
  now: Date,
): Row {
  const type = 'profile.risk.changed'
  return rowFor(eventWriter, { id: newId(now), org_id, mode, type, data, occurred_at: now })
}
