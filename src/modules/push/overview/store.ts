/** SQL of what waits to be sent, of all organisations. */
import { sql } from 'kysely'
import type { Db } from '../../../platform/postgres/db.ts'
import type { PushProvider } from '../../../platform/postgres/tables/push.ts'

export type PushStanding = {
  provider: PushProvider
  /** Recipients in batches of which at least one is pending. */
  waiting: number
  needs_attention: number
  paused: number
}

export async function readPushStanding(db: Db): Promise<PushStanding[]> {
  const { rows } = await sql<PushStanding>`
    select p.provider,
      (select coalesce(sum(recipients), 0) from push_batches b where b.provider = p.provider)::bigint
        as waiting,
      count(c.application_id) filter (where c.status = 'needs_attention') as needs_attention,
      count(c.application_id) filter (where c.paused_until > now()) as paused
    from (values ('fcm'), ('apns')) as p (provider)
    left join push_credentials c on c.provider = p.provider
    group by p.provider order by p.provider`.execute(db)
  return rows
}
