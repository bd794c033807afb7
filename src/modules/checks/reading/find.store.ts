/** Finds checks by a part of the e-mail, the phone number, the fingerprint, the event id or the id. */
import { sql } from 'kysely'
import {
  COMPARED_MAX,
  contains,
  type Finder,
  idsStartingWith,
  mayContain,
  reversed,
  startsWith,
} from '../../../platform/postgres/name-search.ts'

type Row = { id: string; email: string | null; phone: string | null; created_at: Date }

const PHONE_DIGITS_MIN = 4
const EMAIL = sql`lower(left(result ->> 'email', 254))`
const PHONE = sql`reverse(regexp_replace(left(request ->> 'phone', 40), '[^0-9]', '', 'g'))`

export const findChecksByPart: Finder = async (db, { org_id, mode, text, limit }) => {
  const ids = idsStartingWith(text)
  const digits = /^[-+0-9 ().]+$/.test(text) ? text.replaceAll(/[^0-9]/g, '') : ''
  const from = sql`select id, request, result, created_at from checks
    where org_id = ${org_id} and mode = ${mode}`
  const parts = [
    ids && sql`${from} and id between ${ids.from}::uuid and ${ids.to}::uuid order by id`,
    sql`${from} and result ->> 'email' is not null and ${startsWith(EMAIL, text.toLowerCase())}
      order by (${EMAIL} collate "C")`,
    digits.length >= PHONE_DIGITS_MIN &&
      sql`${from} and request ->> 'phone' is not null and ${startsWith(PHONE, reversed(digits))}
        order by (${PHONE} collate "C")`,
    sql`${from} and id = (select check_id from check_event_ids
      where org_id = ${org_id} and mode = ${mode} and event_id = ${text})`,
    sql`select id, request, result, created_at from (
        select id, mode, request, result, created_at from checks where org_id = ${org_id}
        order by id desc limit ${sql.lit(COMPARED_MAX)}) newest
      where mode = ${mode} and case
        when ${mayContain(sql`result`, text)} or ${mayContain(sql`request`, text)}
        then ${contains(COMPARED, text)} end`,
  ].flatMap((part) => (part ? [sql`(${part} limit ${limit})`] : []))
  const { rows } = await sql<Row>`
    select distinct on (id) id, result ->> 'email' as email, request ->> 'phone' as phone, created_at
    from (${sql.join(parts, sql` union all `)}) found order by id desc limit ${limit}`.execute(db)
  return rows.map(({ id, email, phone, created_at }) => ({
    name: email ?? phone ?? id,
    remark: [email === null ? null : phone, dayOf(created_at)].filter(Boolean).join(' · '),
    link: `/checks/${id}`,
  }))
}

const COMPARED = sql`concat_ws(chr(10), result ->> 'email', request ->> 'phone',
  request -> 'device' ->> 'fingerprint_hash', request ->> 'event_id')`

const dayOf = (time: Date): string => time.toISOString().slice(0, 10)
