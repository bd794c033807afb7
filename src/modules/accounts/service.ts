/** Organisations, their plans, and users. */
import type { Clock } from '../../platform/clock.ts'
import { randomBase62 } from '../../platform/crypto/tokens.ts'
import { isUuid, type NewId } from '../../platform/ids.ts'
import type { Database } from '../../platform/postgres/db.ts'
import type { Plan, Role } from '../../platform/postgres/tables/accounts.ts'
import { insertAudit } from '../audit/index.ts'
import { type CredentialFault, emailFault, passwordFault } from './credentials.ts'
import type { Passwords } from './passwords.ts'
import { deleteSessionsOfUser } from './sessions/store.ts'
import {
  findOrganization,
  findUser,
  findUserByEmail,
  insertOrganization,
  insertUser,
  listOrganizationsOfUser,
  lockOrganization,
  type Organization,
  updateOrganization,
  updatePassword,
  upsertMembership,
} from './store.ts'

/** `generated_password` is there when none was given, and is not seen again. */
export type CreatedUser = { user_id: string; generated_password?: string }
export type PasswordSet = { generated_password?: string }
export type Refused<Reason> = { refused: Reason }

export type Organizations = {
  createOrganization(organization: { name: string; plan: Plan }): Promise<Organization>
  findOrganization(orgId: string): Promise<Organization | undefined>
  /** With its owner, who has one already: who answers for the plan and credits of one may for two. */
  createOwnedOrganization(organization: { name: string; owner: string }): Promise<Organization>
  /** @param by who asks; the command line when left out. @returns false when there is no such one */
  renameOrganization(orgId: string, name: string, by: string): Promise<boolean>
  setPlan(orgId: string, plan: Plan, by?: string): Promise<boolean>
  createUser(user: {
    email: string
    password?: string
  }): Promise<CreatedUser | Refused<CredentialFault | 'email_taken'>>
  /** In whatever case the e-mail is written. */
  findUserId(email: string): Promise<string | undefined>
  /** @returns undefined when there is no such user */
  findEmail(userId: string): Promise<string | undefined>
  /** Ends all sessions of the user. */
  setPassword(
    userId: string,
    password?: string,
  ): Promise<PasswordSet | Refused<CredentialFault | 'not_found'>>
  listOrganizations(userId: string): Promise<(Organization & { role: Role })[]>
}

/** 143 bits; meant to be kept by a password manager. */
const GENERATED_PASSWORD_CHARS = 24

export type OrganizationOptions = {
  db: Database
  newId: NewId
  clock: Clock
  passwords: Passwords
}

export function createOrganizations(options: OrganizationOptions): Organizations {
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
    createOwnedOrganization: async ({ name, owner }) => {
      const now = clock.now()
      const organization = { id: newId(now), name, plan: 'free' as const, created_at: now }
      const { id } = organization
      await db.transaction().execute(async (tx) => {
        await insertOrganization(tx, organization)
        await upsertMembership(tx, id, { user_id: owner, role: 'owner', created_at: now })
        const facts = { action: 'organization.created', actor_user_id: owner, target: name }
        await insertAudit(tx, id, { id: newId(now), at: now, ...facts })
      })
      return organization
    },
    renameOrganization: async (orgId, name, by) =>
      await changeOrganization(options, orgId, { name }, by),
    setPlan: async (orgId, plan, by) => await changeOrganization(options, orgId, { plan }, by),
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
    findEmail: async (userId) => (isUuid(userId) ? (await findUser(db, userId))?.email : undefined),
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
    listOrganizations: async (userId) =>
      isUuid(userId) ? await listOrganizationsOfUser(db, userId) : [],
  }
}

/** What is said that it is already is not written down as a change. */
async function changeOrganization(
  { db, clock, newId }: Pick<OrganizationOptions, 'db' | 'clock' | 'newId'>,
  orgId: string,
  change: { name: string } | { plan: Plan },
  by: string | undefined,
): Promise<boolean> {
  if (!isUuid(orgId)) return false
  return await db.transaction().execute(async (tx) => {
    const isThere = await lockOrganization(tx, orgId)
    const before = isThere ? await findOrganization(tx, orgId) : undefined
    if (!before) return false
    const isName = 'name' in change
    const [from, to] = isName ? [before.name, change.name] : [before.plan, change.plan]
    if (from === to) return true
    await updateOrganization(tx, orgId, change)
    const at = clock.now()
    await insertAudit(tx, orgId, {
      id: newId(at),
      at,
      actor_user_id: by ?? null,
      action: isName ? 'organization.renamed' : 'organization.plan_changed',
      details: { from, to },
    })
    return true
  })
}

function chosenOrGenerated(chosen: string | undefined): { password: string; answer: PasswordSet } {
  if (chosen !== undefined) return { password: chosen, answer: {} }
  const password = randomBase62(GENERATED_PASSWORD_CHARS)
  return { password, answer: { generated_password: password } }
}
