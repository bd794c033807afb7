/** The organization of the story: its users, its API keys and its plan. */
import type { Role } from '../../src/modules/accounts/tables.ts'
import { KEY_TYPES, type KeyType } from '../../src/modules/keys/tables.ts'
import { HOUR_MS } from '../../world/time.ts'
import { COLLEAGUES, INVITED, ORGANIZATION, OWNER, SAVED_SEARCHES } from '../story/office.ts'
import type { DemoService, FillContext, People } from './context.ts'

/**
 * The visitor gets the password of the owner; the other users exist, and their passwords are discarded.
 */
export async function createOrganization({
  services,
}: Pick<DemoService, 'services'>): Promise<People> {
  const { accounts, keys } = services
  const { id: org_id } = await accounts.createOrganization({ ...ORGANIZATION })
  const join = async (email: string, role: Role) => {
    const user = await accounts.createUser({ email })
    if ('refused' in user) throw new Error(`${email} could not be created: ${user.refused}`)
    await accounts.setMember(org_id, user.user_id, role)
    return { ...user, email }
  }
  const owner = await join(OWNER, 'owner')
  const reviewers = await Promise.all(
    COLLEAGUES.map(async ({ email, role, decides }) => {
      const { user_id } = await join(email, role)
      return decides ? [{ user_id, email }] : []
    }),
  )
  const texts: Partial<Record<KeyType, string>> = {}
  for (const type of KEY_TYPES) texts[type] = (await keys.create(org_id, type))?.key ?? ''
  return {
    org_id,
    owner_id: owner.user_id,
    owner: { email: OWNER, password: owner.generated_password ?? '' },
    reviewers: reviewers.flat(),
    keys: texts as Record<KeyType, string>,
  }
}

export async function createInvitation(context: FillContext): Promise<void> {
  const { services, clock, people, story } = context
  const { org_id, owner_id } = people
  clock.freezeAt(story.span.end - INVITED.hours_ago * HOUR_MS)
  await services.accounts.invite(org_id, { email: INVITED.email, role: INVITED.role }, owner_id)
}

export async function createSavedSearches({ services, people }: FillContext): Promise<void> {
  const { org_id, owner_id, reviewers } = people
  const user_id = reviewers[0]?.user_id ?? owner_id
  for (const search of SAVED_SEARCHES) {
    await services.telemetry.searches.create({ org_id, user_id, role: 'admin' }, search)
  }
}
