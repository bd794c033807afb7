import { expect, it } from 'vitest'
import { ROLES, type Role } from '../../../platform/postgres/tables/accounts.ts'
import { mayChange, mayInvite } from './rules.ts'

const NEXT: (Role | undefined)[] = [...ROLES, undefined]
/** What an actor may do to others, `before>next`. */
const changes = (actor: Role, is_self = false) =>
  ROLES.flatMap((before) =>
    NEXT.flatMap((next) =>
      mayChange({ actor, before, next, is_self }) ? `${before}>${next ?? 'gone'}` : [],
    ),
  )

it('owners change everybody, admins everybody but owners, members nobody', () => {
  expect(changes('owner')).toHaveLength(ROLES.length * NEXT.length)
  expect(changes('admin')).toEqual([
    'admin>admin',
    'admin>member',
    'admin>gone',
    'member>admin',
    'member>member',
    'member>gone',
  ])
  expect(changes('member')).toEqual([])
})

it('everybody may leave, and nobody may raise themselves', () => {
  for (const role of ROLES) {
    expect(mayChange({ actor: role, before: role, next: undefined, is_self: true })).toBe(true)
  }
  expect(mayChange({ actor: 'admin', before: 'admin', next: 'owner', is_self: true })).toBe(false)
  expect(mayChange({ actor: 'member', before: 'member', next: 'admin', is_self: true })).toBe(false)
})

it('owners invite for every role, admins for all but owner, members for none', () => {
  const invited = ROLES.map((actor) => ROLES.filter((role) => mayInvite(actor, role)))
  expect(invited).toEqual([[...ROLES], ['admin', 'member'], []])
})
