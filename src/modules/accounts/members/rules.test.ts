import { expect, it } from 'vitest'
import { ROLES, type Role } from '../tables.ts'
import { mayChange, mayInvite } from './rules.ts'

const NEXT: (Role | undefined)[] = [...ROLES, undefined]
/** The changes that an actor may make to other members, as `before>next`. */
const changes = (actor: Role, is_self = false) =>
  ROLES.flatMap((before) =>
    NEXT.flatMap((next) =>
      mayChange({ actor, before, next, is_self }) ? `${before}>${next ?? 'gone'}` : [],
    ),
  )

it('owners change everyone, admins everyone except owners, members no one', () => {
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

it('everyone may leave, and no one may raise their own role', () => {
  for (const role of ROLES) {
    expect(mayChange({ actor: role, before: role, next: undefined, is_self: true })).toBe(true)
  }
  expect(mayChange({ actor: 'admin', before: 'admin', next: 'owner', is_self: true })).toBe(false)
  expect(mayChange({ actor: 'member', before: 'member', next: 'admin', is_self: true })).toBe(false)
})

it('owners invite for every role, admins for all except owner, members for none', () => {
  const invited = ROLES.map((actor) => ROLES.filter((role) => mayInvite(actor, role)))
  expect(invited).toEqual([[...ROLES], ['admin', 'member'], []])
})
