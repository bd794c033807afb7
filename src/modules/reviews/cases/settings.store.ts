/** Reason codes and the time limit of cases, which an organization can edit. */
import { sql } from 'kysely'
import type { Db } from '../../../platform/postgres/db.ts'
import type { CaseSettings } from './schema.ts'

export const DEFAULT_SETTINGS: CaseSettings = {
  sla_hours: 24,
  reason_codes: [
    { code: 'stolen_payment', label: 'Stolen card or payment data' },
    { code: 'account_takeover', label: 'Account taken over' },
    { code: 'fake_accounts', label: 'Several accounts of one person' },
    { code: 'card_testing', label: 'Card testing' },
    { code: 'employee_theft', label: 'Theft by an employee' },
    { code: 'customer_confirmed', label: 'Confirmed by the customer' },
    { code: 'store_confirmed', label: 'Confirmed by the store' },
    { code: 'usual_for_customer', label: 'Usual for this customer' },
    { code: 'not_enough_known', label: 'Not enough is known' },
  ],
}

export async function readSettings(db: Db, orgId: string): Promise<CaseSettings> {
  const { rows } = await sql<CaseSettings>`
    select sla_hours, reason_codes from case_settings where org_id = ${orgId}`.execute(db)
  return rows[0] ?? DEFAULT_SETTINGS
}

export async function writeSettings(db: Db, orgId: string, settings: CaseSettings): Promise<void> {
  await sql`
    insert into case_settings (org_id, sla_hours, reason_codes)
    values (${orgId}, ${settings.sla_hours}, ${JSON.stringify(settings.reason_codes)}::jsonb)
    on conflict (org_id) do update
      set sla_hours = excluded.sla_hours, reason_codes = excluded.reason_codes`.execute(db)
}
