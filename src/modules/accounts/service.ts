/** Organisations, their plans, their users and who is what in which. */
import type { Clock } from '../../platform/clock.ts'
import { randomBase62 } from '../../platform/crypto/tokens.ts'
import { isUuid, type NewId } from '../../platform/ids.ts'
import type { Database } from '../../platform/postgres/db.ts'
import type { Plan, Role } from '../../platform/postgres/tables/accounts.ts'
import { type CredentialFault, emailFault, passwordFault } from './credentials.ts'
import type { Passwords } from './passwords.ts'
import { deleteSessionsOfUser } from './sessions/store.ts'
import {
  countOtherOwners,
  deleteMembership,
  findMembership,
  findOrganization,
  findUserByEmail,
  insertOrganization,
  insertUser,
  listMembers,
  listOrganizationsOfUser,
  lockOrganization,
  type Member,
  type Membership,
  type Organization,
  updatePassword,
  updatePlan,
  upsertMembership,
} from './store.ts'

/** `generated_password` is there when none was given, and is not seen again. */
export type CreatedUser = { user_id: string; generated_password?: string }
export type PasswordSet = { generated_password?: string }
export type Refused<Reason> = { refused: Reason }
export type MemberChange = 'done' | 'not_found' | 'last_owner'

export type Organizations = {
  createOrganization(organization: { name: string; plan: Plan }): Promise<Organization>
  findOrganization(orgId: string): Promise<Organization | undefined>
  /** @returns false when there is no such organisation */
  setPlan(orgId: string, plan: Plan): Promise<boolean>
  createUser(user: {
    email: string
    password?: string
  }): Promise<CreatedUser | Refused<CredentialFault | 'email_taken'>>
  /** In whatever case the e-mail is written. */
  findUserId(email: string): Promise<string | undefined>
  /** Ends all sessions of the user. */
  setPassword(
    userId: string,
    password?: string,
  ): Promise<PasswordSet | Refused<CredentialFault | 'not_found'>>
  /** Read from the database each time, so that a removed member is out at once. */
  membership(userId: string, orgId: string): Promise<Membership | undefined>
  listMembers(orgId: string): Promise<Member[]>
  listOrganizations(userId: string): Promise<(Organization & { role: Role })[]>
  /** Adds the user or changes the role. An organisation that has an owner keeps one. */
  setMember(orgId: string, userId: string, role: Role): Promise<MemberChange>
  removeMember(orgId: string, userId: string): Promise<MemberChange>
}

/** 143 bits; meant to be kept by a password manager. */
const GENERATED_PASSWORD_CHARS = 24

export function createOrganizations(options: {
  db: Database
  newId: NewId
  clock: Clock
  passwords: Passwords
}): Organizations {
  const { db, newId, clock, passwords } = options

  return {
    createOrganization: async ({ name, plan }) => {
      const now = clock.now()
      const organization = { id: newId(now), name, plan, created_at: now }
      await insertOrganization(db, organization)
      return organization
    },
    findOrganization: async (orgId) =>
      isUuid(orgId) ? await findOrganization(db, orgId) : undefined,
    setPlan: async (orgId, plan) => isUuid(orgId) && (await updatePlan(db, orgId, plan)),
    createUser: async (user) => {
      const email = user.email.trim()
      const { password, answer } = chosenOrGenerated(user.password)
      const fault = emailFault(email) ?? passwordFault(password)
      if (fault !== undefined) return { refused: fault }
      const now = clock.now()
      const id = newId(now)
      const password_hash = await passwords.hash(password)
      const created = await insertUser(db, { id, email, password_hash, created_at: now })
      return created ? { user_id: id, ...answer } : { refused: 'email_taken' }
    },
    findUserId: async (email) =>
      emailFault(email.trim()) === undefined ? (await findUserByEmail(db, email))?.id : undefined,
    setPassword: async (userId, chosen) => {
      const { password, answer } = chosenOrGenerated(chosen)
      const fault = passwordFault(password)
      if (fault !== undefined) return { refused: fault }
      if (!isUuid(userId)) return { refused: 'not_found' }
      const hash = await passwords.hash(password)
      return await db.transaction().execute(async (tx) => {
        if (!(await updatePassword(tx, userId, hash))) return { refused: 'not_found' }
        await deleteSessionsOfUser(tx, userId)
        return answer
      })
    },
    membership: async (userId, orgId) =>
      isUuid(userId) && isUuid(orgId) ? await findMembership(db, orgId, userId) : undefined,
    listMembers: async (orgId) => (isUuid(orgId) ? await listMembers(db, orgId) : []),
    listOrganizations: async (userId) =>
      isUuid(userId) ? await listOrganizationsOfUser(db, userId) : [],
    setMember: async (orgId, userId, role) =>
      await changeMember(db, orgId, userId, {
        role,
        now: clock.now(),
      }),
    removeMember: async (orgId, userId) => await changeMember(db, orgId, userId, undefined),
  }
}

/** @param next what the user is to be in the organisation; undefined to be no member any more */
async function changeMember(
  db: Database,
  orgId: string,
  userId: string,
  next: { role: Role; now: Date } | undefined,
): Promise<MemberChange> {
  if (!isUuid(orgId) || !isUuid(userId)) return 'not_found'
  return await db.transaction().execute(async (tx) => {
    if (!(await lockOrganization(tx, orgId))) return 'not_found'
    const before = await findMembership(tx, orgId, userId)
    if (before === undefined && next === undefined) return 'not_found'
    const stopsOwning = before?.role === 'owner' && next?.role !== 'owner'
    if (stopsOwning && (await countOtherOwners(tx, orgId, userId)) === 0) return 'last_owner'
    if (next === undefined) {
      await deleteMembership(tx, orgId, userId)
      return 'done'
    }
    const member = { user_id: userId, role: next.role, created_at: next.now }
    return (await upsertMembership(tx, orgId, member)) ? 'done' : 'not_found'
  })
}

function chosenOrGenerated(chosen: string | undefined): { password: string; answer: PasswordSet } {
  if (chosen !== undefined) return { password: chosen, answer: {} }
  const password = randomBase62(GENERATED_PASSWORD_CHARS)
  return { password, answer: { generated_password: password } }
}
