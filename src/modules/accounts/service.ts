/** Organizations, their plans, and users. */
import type { Clock } from '../../platform/clock.ts'
import { randomBase62 } from '../../platform/crypto/tokens.ts'
import { isUuid, type NewId } from '../../platform/ids.ts'
import type { Database } from '../../platform/postgres/db.ts'
import { insertAudit } from '../audit/index.ts'
import { MAIN_CELL } from '../cells/index.ts'
import { emailFault, type PasswordFault, passwordFault } from './credentials.ts'
import type { Passwords } from './passwords.ts'
import { auditOfUser } from './second-factor/audit.ts'
import { deleteSessionsOfUser } from './sessions/store.ts'
import {
  type DescribedAccount,
  describeAccountsOfEmail,
  findOrganization,
  findUser,
  insertOrganization,
  insertUser,
  type ListedOrganization,
  listAllOrganizations,
  listOrganizationsOfUser,
  lockOrganization,
  lockOrigins,
  markEmailProved,
  type Organization,
  type OrganizationOfUser,
  updateOrganization,
  updatePassword,
  upsertMembership,
} from './store.ts'
import type { Plan } from './tables.ts'

/** `generated_password` is set when the caller chose none, and is only returned here. */
export type CreatedUser = { user_id: string; generated_password?: string }
export type PasswordSet = { generated_password?: string }
export type Refused<Reason> = { refused: Reason }

export type Organizations = {
  createOrganization(organization: { name: string; plan: Plan }): Promise<Organization>
  findOrganization(orgId: string): Promise<Organization | undefined>
  /** All organizations for the operator, the oldest first, after the one with the id `after`. */
  listAllOrganizations(page: { after?: string; limit: number }): Promise<ListedOrganization[]>
  /** Creates an organization on the free plan for a user who already owns one. */
  createOwnedOrganization(organization: {
    name: string
    owner: string
  }): Promise<Organization | Refused<'no_owner' | 'too_many'>>
  /** @returns false when the organization does not exist */
  renameOrganization(orgId: string, name: string, by: string): Promise<boolean>
  /**
   * @param by the acting user; undefined for the command line
   * @returns false when the organization does not exist
   */
  setPlan(orgId: string, plan: Plan, by?: string): Promise<boolean>
  /** For the operator, who vouches for the e-mail. Another account may have it unproved. */
  createUser(user: {
    email: string
    password?: string
  }): Promise<CreatedUser | Refused<PasswordFault | 'email_invalid' | 'email_taken'>>
  /**
   * Ignores the case of the e-mail; the account that has proved it comes first.
   * @param orgId only accounts that are members of this organization
   */
  listUsers(email: string, orgId?: string): Promise<DescribedAccount[]>
  /**
   * Notes that the e-mail is the user's own. One account can prove an e-mail; the others remain.
   */
  proveEmail(userId: string): Promise<'done' | Refused<'not_found' | 'email_taken'>>
  /** @returns undefined when the user does not exist */
  findEmail(userId: string): Promise<string | undefined>
  /** Ends all sessions of the user. */
  setPassword(
    userId: string,
    password?: string,
  ): Promise<PasswordSet | Refused<PasswordFault | 'not_found'>>
  listOrganizations(userId: string): Promise<OrganizationOfUser[]>
}

/** 143 bits, meant for a password manager. */
const GENERATED_PASSWORD_CHARS = 24

/** A cell, which has a copy of the rows of its organizations unless it is the directory's database. */
export type Place = { cell: string; db: Database }

export type OrganizationOptions = {
  db: Database
  /**
   * The cells that new organizations may be placed in, the preferred one first. By default the database of
   * the directory.
   */
  places?: (() => Promise<readonly Place[]>) | undefined
  newId: NewId
  clock: Clock
  passwords: Passwords
  /** Undefined where no user creates organizations. */
  organizations_per_owner?: number
}

export function createOrganizations(options: OrganizationOptions): Organizations {
  const { db, newId, clock, passwords, organizations_per_owner = 1 } = options

  return {
    createOrganization: async ({ name, plan }) => {
      const now = clock.now()
      const organization = { id: newId(now), name, plan, created_at: now }
      const cell = await copyToCell(options, organization)
      await insertOrganization(db, { ...organization, cell })
      return organization
    },
    findOrganization: async (orgId) =>
      isUuid(orgId) ? await findOrganization(db, orgId) : undefined,
    listAllOrganizations: async (page) => await listAllOrganizations(db, page),
    createOwnedOrganization: async ({ name, owner }) => {
      const now = clock.now()
      const organization = { id: newId(now), name, plan: 'free' as const, created_at: now }
      const { id } = organization
      const cell = await copyToCell(options, organization)
      return await db.transaction().execute(async (tx) => {
        // Owners already answer for a plan and credits; other users were only invited.
        const { root_id, organizations } = await lockOrigins(tx, owner)
        if (root_id === undefined) return { refused: 'no_owner' }
        if (organizations >= organizations_per_owner) return { refused: 'too_many' }
        await insertOrganization(tx, { ...organization, root_id, cell })
        await upsertMembership(tx, id, { user_id: owner, role: 'owner', created_at: now })
        const facts = { action: 'organization.created', actor_user_id: owner, target: name }
        await insertAudit(tx, id, { id: newId(now), at: now, ...facts })
        return organization
      })
    },
    renameOrganization: async (orgId, name, by) =>
      await changeOrganization(options, orgId, { name }, by),
    setPlan: async (orgId, plan, by) => await changeOrganization(options, orgId, { plan }, by),
    createUser: async (user) => {
      const email = user.email.trim()
      const { password, answer } = chosenOrGenerated(user.password)
      const isChosen = user.password !== undefined
      const fault =
        emailFault(email) ?? (isChosen ? await passwordFault(password, email) : undefined)
      if (fault !== undefined) return { refused: fault }
      const now = clock.now()
      const id = newId(now)
      const password_hash = await passwords.hash(password)
      const row = { id, email, password_hash, created_at: now, email_proved_at: now }
      const created = await insertUser(db, row)
      return created ? { user_id: id, ...answer } : { refused: 'email_taken' }
    },
    listUsers: async (email, orgId) =>
      emailFault(email.trim()) === undefined && (orgId === undefined || isUuid(orgId))
        ? await describeAccountsOfEmail(db, email, orgId)
        : [],
    proveEmail: async (userId) => {
      if (!isUuid(userId)) return { refused: 'not_found' }
      const outcome = await markEmailProved(db, userId, clock.now())
      return outcome === 'done' ? 'done' : { refused: outcome }
    },
    findEmail: async (userId) => (isUuid(userId) ? (await findUser(db, userId))?.email : undefined),
    setPassword: async (userId, chosen) => {
      const { password, answer } = chosenOrGenerated(chosen)
      const user = isUuid(userId) ? await findUser(db, userId) : undefined
      if (!user) return { refused: 'not_found' }
      const fault = chosen === undefined ? undefined : await passwordFault(chosen, user.email)
      if (fault !== undefined) return { refused: fault }
      const hash = await passwords.hash(password)
      return await db.transaction().execute(async (tx) => {
        if (!(await updatePassword(tx, userId, hash))) return { refused: 'not_found' }
        await deleteSessionsOfUser(tx, userId)
        await auditOfUser(tx, options, userId, 'password.reset', null)
        return answer
      })
    },
    listOrganizations: async (userId) =>
      isUuid(userId) ? await listOrganizationsOfUser(db, userId) : [],
  }
}

/**
 * Only the id of a copy is read. One that is left over after a failure, or after a refusal, stands for an
 * organization without data. A cell that cannot be written to is passed over.
 *
 * @returns the name of the cell
 */
async function copyToCell(
  { db, places }: Pick<OrganizationOptions, 'db' | 'places'>,
  organization: Organization,
): Promise<string> {
  let failure: unknown = new Error('No cell is open to new organizations')
  for (const place of (await places?.()) ?? [{ cell: MAIN_CELL, db }]) {
    try {
      if (place.db !== db) await insertOrganization(place.db, organization)
      return place.cell
    } catch (error) {
      failure = error
    }
  }
  throw failure
}

/** A change to the current value writes no audit entry. */
async function changeOrganization(
  { db, clock, newId }: Pick<OrganizationOptions, 'db' | 'clock' | 'newId'>,
  orgId: string,
  change: { name: string } | { plan: Plan },
  by: string | undefined,
): Promise<boolean> {
  if (!isUuid(orgId)) return false
  return await db.transaction().execute(async (tx) => {
    const exists = await lockOrganization(tx, orgId)
    const before = exists ? await findOrganization(tx, orgId) : undefined
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
