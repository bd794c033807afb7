/** Reads the figures of the home page. Every query reads a limited number of rows. */
import { sql } from 'kysely'
import type { Owner } from '../../platform/owner.ts'
import type { Db } from '../../platform/postgres/db.ts'
import { factsOfDecision } from '../reviews/index.ts'
import type { Amount, EdgeFleet, Fleet, Step } from './schema.ts'
import { IS_FAILING } from './store.ts'

const DECISIONS_MAX = 2000
const COUNTED_MAX = 10_000
const STEP_METERS = ['check', 'order', 'edge_log'] as const
const STEP_OF = { check: 'check', order: 'order', edge_log: 'log' } as const

export async function findOldestCase(db: Db, { org_id, mode }: Owner): Promise<Date | null> {
  const { rows } = await sql<{ first_at: Date }>`
    select first_at from cases
    where org_id = ${org_id} and mode = ${mode} and closed_at is null order by id limit 1`.execute(
    db,
  )
  return rows[0]?.first_at ?? null
}

export type Decided = { decided: number; frauds: number; caught: Amount[] }

/** Reads the newest decisions of people about what was flagged, each in its last version. */
export async function readDecided(
  db: Db,
  { org_id, mode }: Owner,
  from: Date,
): Promise<Decided & { is_complete: boolean }> {
  const { rows } = await sql<{ decision: string; count: number; amount: number; currency: string }>`
    select d.decision, o.currency, count(*)::integer as count,
      coalesce(sum(o.amount_cents) filter (where d.decision = 'confirmed_fraud'), 0) as amount
    from (
      select * from review_decisions d
      where org_id = ${org_id} and mode = ${mode} and decided_at >= ${from} and source is null
      order by decided_at desc limit ${DECISIONS_MAX}) d
    cross join lateral (${factsOfDecision('d')}) o
    where not exists (
        select from review_decisions n where n.org_id = d.org_id and n.subject_id = d.subject_id
          and n.number = d.number + 1)
      and exists (
        select from reviews r where r.org_id = d.org_id and r.subject_id = d.subject_id
          and r.subject = d.subject and r.case_id is not null)
    group by 1, 2`.execute(db)
  const counts = (wanted: string) =>
    rows.reduce((sum, { decision, count }) => sum + (decision === wanted ? count : 0), 0)
  const frauds = counts('confirmed_fraud')
  return {
    decided: frauds + counts('legitimate'),
    frauds,
    caught: rows
      .filter(({ amount }) => amount > 0)
      .map(({ currency, amount }) => ({ currency, amount_cents: amount }))
      .toSorted((a, b) => b.amount_cents - a.amount_cents),
    is_complete: rows.reduce((sum, { count }) => sum + count, 0) < DECISIONS_MAX,
  }
}

/** @returns null without devices */
export async function readFleet(db: Db, orgId: string): Promise<Fleet | null> {
  const { rows } = await sql<Fleet>`
    select coalesce(sum(devices), 0)::bigint as devices,
      coalesce(sum(devices) filter (where compliance_state = 'non_compliant'), 0)::bigint
        as non_compliant
    from mdm_device_counts where org_id = ${orgId} and state <> 'deleted'`.execute(db)
  return rows[0] && rows[0].devices > 0 ? rows[0] : null
}

/** Counts the devices that sent logs since a time, up to 10,000. @returns null without devices */
export async function readEdgeFleet(
  db: Db,
  { org_id, mode }: Owner,
  since: Date,
): Promise<EdgeFleet | null> {
  const { rows } = await sql<EdgeFleet>`
    select count(*)::integer as devices,
      (count(*) filter (where last_seen_at >= ${since}))::integer as reporting
    from (select last_seen_at from edge_devices where org_id = ${org_id} and mode = ${mode}
      order by last_seen_at desc limit ${COUNTED_MAX}) d`.execute(db)
  return rows[0] && rows[0].devices > 0 ? rows[0] : null
}

/** The first steps that were done: usage of the last 90 days, and things that were created. */
export async function readSteps(db: Db, { org_id, mode }: Owner, since: Date): Promise<Step[]> {
  const { rows } = await sql<{ step: string; is_done: boolean }>`
    with newest as (
      select meter, mode from usage_events where org_id = ${org_id} order by id desc limit 1000)
    select m.step, exists (select from newest where meter = m.step and mode = ${mode})
      or exists (select from usage_slots u where u.org_id = ${org_id} and u.mode = ${mode}
        and u.slot_at >= ${since} and u.meter = m.step) as is_done
    from unnest(${[...STEP_METERS]}::text[]) as m (step)
    union all select 'webhook', exists (select from webhook_endpoints
      where org_id = ${org_id} and mode = ${mode} and status <> 'deleted')
    union all select 'device', exists (select from mdm_device_counts
      where org_id = ${org_id} and devices > 0)
    union all select 'push', exists (select from applications
      where org_id = ${org_id} and environment = ${mode} and deleted_at is null)`.execute(db)
  return rows
    .filter(({ is_done }) => is_done)
    .map(({ step }) => (STEP_OF as Record<string, Step>)[step] ?? (step as Step))
}

/** What needs a person, for the counts in the menu. */
export async function readBadges(
  db: Db,
  { org_id, mode }: Owner,
  countedMax: number,
): Promise<{ cases: number; alerts: number; endpoints: number }> {
  const { rows } = await sql<{ cases: number; alerts: number; endpoints: number }>`
    select (select count(*)::integer from (select from cases where org_id = ${org_id}
        and mode = ${mode} and closed_at is null limit ${sql.lit(countedMax + 1)}) c) as cases,
      (select count(*)::integer from edge_alerts where org_id = ${org_id}
        and status = 'firing' and ${mode} = 'live') as alerts,
      (select count(*)::integer from webhook_endpoints where org_id = ${org_id}
        and mode = ${mode} and ${IS_FAILING}) as endpoints`.execute(db)
  return rows[0] ?? { cases: 0, alerts: 0, endpoints: 0 }
}
