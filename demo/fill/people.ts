/** The organisation of the story: who works there, its keys, its plan, and what it may spend. */
import { KEY_TYPES, type KeyType, type Role } from '../../src/platform/postgres/tables/accounts.ts'
import { COLLEAGUES, INVITED, ORGANIZATION, OWNER, SAVED_SEARCHES } from '../story/office.ts'
import type { DemoService, Filling, People } from './context.ts'

/** The one who tries it out gets a password; the others exist, and nobody knows theirs. */
export async function settleIn({ services }: Pick<DemoService, 'services'>): Promise<People> {
  const { accounts, keys } = services
  const { id: org_id } = await accounts.createOrganization({ ...ORGANIZATION })
  const join = async (email: string, role: Role) => {
    const user = await accounts.createUser({ email })
    if ('refused' in user) throw new Error(`${email} could not be created: ${user.refused}`)
    await accounts.setMember(org_id, user.user_id, role)
    return { ...user, email }
  }
  const owner = await join(OWNER, 'owner')
  const colleagues = await Promise.all(
    COLLEAGUES.map(async (colleague) => ({
      ...colleague,
      ...(await join(colleague.email, colleague.role)),
    })),
  )
  const texts: Partial<Record<KeyType, string>> = {}
  for (const type of KEY_TYPES) texts[type] = (await keys.create(org_id, type))?.key ?? ''
  return {
    org_id,
    owner_id: owner.user_id,
    owner: { email: OWNER, password: owner.generated_password ?? '' },
    reviewers: colleagues
      .filter(({ decides }) => decides)
      .map(({ user_id, email }) => ({ user_id, email })),
    keys: texts as Record<KeyType, string>,
  }
}

const HOUR_MS = 3_600_000

/** What they left on their desks. */
export async function leaveTraces({ services, clock, people, story }: Filling): Promise<void> {
  const { org_id, owner_id, reviewers } = people
  const [admin] = reviewers
  clock.standAt(story.span.end - INVITED.hours_ago * HOUR_MS)
  await services.accounts.invite(org_id, { email: INVITED.email, role: INVITED.role }, owner_id)
  for (const search of SAVED_SEARCHES) {
    const by = { org_id, user_id: admin?.user_id ?? owner_id, role: 'admin' } as const
    await services.telemetry.searches.create(by, search)
  }
}
