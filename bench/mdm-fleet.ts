/** A large fleet in the database, made there: of all kinds, common and rare, and one end unlike the other. */
import { sql } from 'kysely'
import { Client } from 'pg'
import type { Database } from '../src/platform/postgres/db.ts'
import type { PostgresAddress } from '../src/platform/postgres/embedded/server.ts'

export const GROUPS = 300
const FILLED_TOGETHER = 25_000
const FIRST_ENROLLED_MS = Date.UTC(2026, 0, 1)

/** The group of this number; every third device is in none. */
export const groupId = (number: number): string =>
  `00000000-0000-7000-8000-${String(number).padStart(12, '0')}`

/** Devices that have enrolled one second after another; the oldest tenth does not comply. */
export async function addFleet(
  db: Database,
  { org_id, devices }: { org_id: string; devices: number },
  tell: (step: string) => void,
): Promise<void> {
  tell(`making ${devices} devices`)
  for (let done = 0; done < devices; done += FILLED_TOGETHER) {
    const to = Math.min(done + FILLED_TOGETHER, devices)
    await addDevices(db, { org_id, devices, from: done + 1, to })
  }
}

type Part = { org_id: string; devices: number; from: number; to: number }

async function addDevices(db: Database, { org_id, devices, from, to }: Part): Promise<void> {
  await sql`
    insert into mdm_devices (org_id, id, provider_name, state, management_mode, ownership,
      ownership_type, name, assigned_user_id, custom_attributes, group_id, compliance_state,
      non_compliance_details, policy_compliant, grace_period_expires_at, brand, manufacturer, model,
      serial_number, enterprise_specific_id, os_version, security_patch_level, api_level,
      enrolled_at, last_report_at, deleted_at, created_at, updated_at)
    select ${org_id}::uuid,
      (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7' || substr(noise, 1, 3)
        || '8' || substr(noise, 4, 15))::uuid,
      'enterprises/LC1/devices/' || noise, state,
      case when n % 10 < 6 then 'fully_managed' else 'work_profile' end,
      'company_owned', 'company_owned', 'Till ' || n, 'cashier-' || n, '{"store": "Bern"}',
      case when n % 3 > 0 then ('00000000-0000-7000-8000-' || lpad((n % ${GROUPS}::integer)::text, 12, '0'))::uuid end,
      compliance,
      case when compliance in ('grace_period', 'non_compliant') then
        '[{"setting_name": "passwordPolicies", "field_path": null, "package_name": null,
          "reason": "USER_ACTION", "specific_reason": null, "installation_failure_reason": null,
          "first_seen_at": "2026-03-01T12:00:00.000Z",
          "grace_period_expires_at": "2026-03-02T12:00:00.000Z"}]'::jsonb
        else '[]'::jsonb end,
      compliance = 'compliant', case when compliance = 'grace_period' then at end,
      'google', 'Google', 'Pixel 9', 'S' || noise, 'E' || noise, '16', '2026-02-05', 36,
      at, at, case when state = 'deleted' then at end, at, at
    from (
      select n, md5(n::text) as noise,
        to_timestamp(${FIRST_ENROLLED_MS / 1000}::float8 + n) as at,
        case when n % 50 = 0 then 'deleted' when n % 50 = 1 then 'provisioning'
          when n % 500 = 2 then 'lost' else 'active' end as state,
        case when n < ${devices}::integer / 10 then 'non_compliant'
          when n % 20 = 4 then 'grace_period' when n % 50 = 1 then 'unknown'
          else 'compliant' end as compliance
      from generate_series(${from}::integer, ${to}::integer) as n
    ) as made`.execute(db)
}

/** What would otherwise happen in the middle of a measurement. It may take longer than a request may. */
export async function tidyFleet(server: PostgresAddress): Promise<void> {
  const client = new Client(server)
  await client.connect()
  try {
    await client.query('vacuum (analyze) mdm_devices')
    await client.query('checkpoint')
  } finally {
    await client.end()
  }
}
