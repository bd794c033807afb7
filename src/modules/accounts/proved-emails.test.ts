import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { ownDatabase } from '../../../test/database.ts'
import { createIds } from '../../platform/ids.ts'
import { packageRoot } from '../../platform/package-root.ts'

const db = ownDatabase()
const newId = createIds()
const MIGRATION = join(packageRoot(), 'migrations/postgres/0020_proved_emails.sql')

it('the migration counts all accounts as proved except for those that an invitation created', async () => {
  const at = new Date('2031-01-01T00:00:00Z')
  const later = new Date('2031-01-02T00:00:00Z')
  await sql`
    drop index users_by_email;
    alter table users drop column email_proved_at;
    create unique index users_email on users (lower(email))`.execute(db)
  const add = async (name: string, acceptedAt?: Date) => {
    const id = newId(at)
    await sql`insert into users (id, email, password_hash, created_at)
      values (${id}, ${`${name}@shop.example`}, 'none', ${at})`.execute(db)
    if (!acceptedAt) return
    await sql`insert into audit_log (org_id, id, actor_user_id, action, details, at)
      values (${newId(at)}, ${newId(at)}, ${id}, 'invitation.accepted', '{}', ${acceptedAt})`.execute(
      db,
    )
  }
  await add('by-operator')
  await add('by-operator-and-invited', later)
  await add('by-invitation', new Date(at.getTime() + 50))
  await sql.raw(readFileSync(MIGRATION, 'utf8')).execute(db)
  const users = await db
    .selectFrom('users')
    .select(['email', 'email_proved_at'])
    .where('email', 'like', 'by-%')
    .orderBy('email')
    .execute()
  expect(users).toEqual([
    { email: 'by-invitation@shop.example', email_proved_at: null },
    { email: 'by-operator-and-invited@shop.example', email_proved_at: at },
    { email: 'by-operator@shop.example', email_proved_at: at },
  ])
})
