/** Device policies and groups. */
import type { Group } from '../../../modules/mdm/groups/schema.ts'
import type { Policy } from '../../../modules/mdm/policies/schema.ts'
import type { Content } from '../item.ts'
import { type Context, type Kind, pickMembers, textOf } from './kind.ts'

const POLICIES = '/v1/mdm/policies'
const GROUPS = '/v1/mdm/groups'
const POLICY_MEMBERS = ['name', 'management_mode', 'description', 'policy_json']

/** The API has no operation that deletes a policy. */
export const devicePolicies: Kind = {
  noun: 'device policy',
  nameOf: (content) => textOf(content, 'name'),
  normalize: (content) => ({ description: '', ...content }),
  read: async ({ api }) =>
    (await api.get<Policy[]>(POLICIES)).map((policy) => ({
      id: policy.id,
      name: policy.name,
      content: pickMembers(policy as unknown as Content, POLICY_MEMBERS),
    })),
  create: async ({ api }, content) => {
    const body = pickMembers(content, POLICY_MEMBERS)
    return { id: (await api.send<Policy>('POST', POLICIES, body)).id }
  },
  change: async ({ api }, { id }, content, changed) => {
    await api.send('PATCH', `${POLICIES}/${id}`, pickMembers(content, changed))
  },
}

const groupBody = ({ idOf }: Context, { name, policy }: Content): object => ({
  name,
  policy_id: typeof policy === 'string' ? idOf('device_policies', policy) : null,
})

export const deviceGroups: Kind = {
  noun: 'device group',
  nameOf: (content) => textOf(content, 'name'),
  normalize: (content) => ({ policy: null, ...content }),
  read: async ({ api, nameOf }) =>
    (await api.get<Group[]>(GROUPS)).map(({ id, name, policy_id }) => {
      const policy = policy_id === null ? null : (nameOf('device_policies', policy_id) ?? null)
      return { id, name, content: { name, policy } }
    }),
  create: async (context, content) => ({
    id: (await context.api.send<Group>('POST', GROUPS, groupBody(context, content))).id,
  }),
  change: async (context, { id }, content) => {
    await context.api.send('PATCH', `${GROUPS}/${id}`, groupBody(context, content))
  },
  remove: async ({ api }, { id }) => await api.remove(`${GROUPS}/${id}`),
}
