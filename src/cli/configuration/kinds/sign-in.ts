/** The provider of single sign-on, and how members have to sign in. */
import type { SignInPolicy, SingleSignOnState } from '../../../modules/accounts/schema.ts'
import { CommandError } from '../../io.ts'
import { type Content, isEqual } from '../item.ts'
import { type Context, type Kind, pickMembers, sortedTexts } from './kind.ts'
import { INVITED } from './people.ts'

const PROVIDER = '/console/api/organization/single-sign-on'
const POLICY = '/console/api/organization/sign-in'
const PROVIDER_MEMBERS = [
  'issuer',
  'client_id',
  'scopes',
  'email_domains',
  'role_claim',
  'roles',
  'default_role',
  'trusts_factor',
]

const sortedRoles = (roles: unknown): unknown =>
  (roles as { group: string }[]).toSorted((one, other) => (one.group < other.group ? -1 : 1))

const setProvider = async ({ api, secretOf }: Context, content: Content): Promise<void> => {
  const { client_secret } = content
  await api.send('PUT', PROVIDER, {
    ...pickMembers(content, PROVIDER_MEMBERS),
    ...(typeof client_secret === 'string' && { client_secret: secretOf(client_secret) }),
  })
}

export const signInProvider: Kind = {
  noun: 'provider of single sign-on',
  nameOf: () => 'provider',
  normalize: (content) => ({
    scopes: 'openid email profile',
    role_claim: null,
    default_role: null,
    trusts_factor: false,
    ...content,
    email_domains: sortedTexts(content['email_domains'] ?? []),
    roles: sortedRoles(content['roles'] ?? []),
  }),
  hidden: ['client_secret'],
  exported: (content) => ({ ...content, client_secret: '${SIGN_IN_CLIENT_SECRET}' }),
  read: async ({ api }) => {
    const { provider } = await api.get<SingleSignOnState>(PROVIDER)
    if (provider === null) return []
    const content = pickMembers({ ...provider }, PROVIDER_MEMBERS)
    return [{ id: 'provider', name: 'provider', content }]
  },
  create: async (context, content) => {
    await setProvider(context, content)
    return { id: 'provider' }
  },
  change: async (context, _live, content) => await setProvider(context, content),
  remove: async ({ api }) => await api.remove(PROVIDER),
}

const NOT_REQUIRED = { requires_second_factor: false, required_provider: null, break_glass: null }

/** Sends what changes, because each part has other conditions. */
async function setPolicy(
  { api, idOf }: Context,
  content: Content,
  changed: readonly string[],
): Promise<void> {
  const { required_provider, break_glass } = content
  if (changed.includes('requires_second_factor')) {
    await api.send('PUT', POLICY, pickMembers(content, ['requires_second_factor']))
  }
  if (!changed.includes('required_provider') && !changed.includes('break_glass')) return
  const user_id =
    typeof break_glass === 'string' ? idOf('members', break_glass.toLowerCase()) : undefined
  if (user_id?.startsWith(INVITED)) {
    throw new CommandError(`${String(break_glass)} has not joined yet, and cannot be break_glass`)
  }
  await api.send('PUT', `${PROVIDER}/requirement`, {
    required_provider,
    ...(user_id !== undefined && { break_glass_user_id: user_id }),
  })
}

/** Exists always. It is the last kind, because a run stops at a requirement that cannot be fulfilled yet. */
export const signInPolicy: Kind = {
  noun: 'requirements',
  nameOf: () => 'sign-in',
  normalize: (content) => ({ ...NOT_REQUIRED, ...content }),
  exported: (content) => (isEqual(content, NOT_REQUIRED) ? undefined : content),
  read: async ({ api, nameOf }) => {
    const { requires_second_factor } = await api.get<SignInPolicy>(POLICY)
    const { required_provider, break_glass_user_id } = await api.get<SingleSignOnState>(PROVIDER)
    const break_glass =
      break_glass_user_id === null ? null : (nameOf('members', break_glass_user_id) ?? null)
    const content = { requires_second_factor, required_provider, break_glass }
    return [{ id: 'sign-in', name: 'sign-in', content }]
  },
  create: async (context, content) => {
    await setPolicy(context, content, Object.keys(NOT_REQUIRED))
    return { id: 'sign-in' }
  },
  change: async (context, _live, content, changed) => await setPolicy(context, content, changed),
  remove: async (context, { content }) => {
    const changed = Object.entries(NOT_REQUIRED).filter(([name, value]) => content[name] !== value)
    await setPolicy(
      context,
      NOT_REQUIRED,
      changed.map(([name]) => name),
    )
  },
}
