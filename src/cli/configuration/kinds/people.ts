/** Members with their roles, and API keys by name. */

import type { Invitation, Member } from '../../../modules/accounts/schema.ts'
import type { CreatedKey, KeyRecord } from '../../../modules/keys/schema.ts'
import { systemClock } from '../../../platform/clock.ts'
import { type Kind, pickMembers, sortedTexts, textOf, timeText } from './kind.ts'

const MEMBERS = '/console/api/members'
const INVITATIONS = '/console/api/invitations'
const KEYS = '/console/api/keys'
/** Prefix of the ids of people who were invited and have not joined yet. */
export const INVITED = 'invitation:'

/** A person who has no account yet is invited, and counts from then on. */
export const members: Kind = {
  noun: 'member',
  nameOf: (content) => textOf(content, 'email').toLowerCase(),
  normalize: (content) => ({ ...content, email: textOf(content, 'email').toLowerCase() }),
  read: async ({ api }) => {
    const { members: joined } = await api.get<{ members: Member[] }>(MEMBERS)
    const { invitations } = await api.get<{ invitations: Invitation[] }>(INVITATIONS)
    const now = systemClock.now().toISOString()
    const people = joined.map(({ user_id, email, role }) => ({ id: user_id, email, role }))
    const known = new Set(people.map(({ email }) => email.toLowerCase()))
    const invited = invitations
      .filter(({ email, expires_at }) => expires_at > now && !known.has(email.toLowerCase()))
      .map(({ id, email, role }) => ({ id: `${INVITED}${id}`, email, role }))
    return [...people, ...invited].map(({ id, role, email }) => {
      const name = email.toLowerCase()
      return { id, name, content: { email: name, role } }
    })
  },
  create: async ({ api }, content) => {
    const body = pickMembers(content, ['email', 'role'])
    const { id, ...invited } = await api.send<{ id: string }>('POST', INVITATIONS, body)
    return { id: `${INVITED}${id}`, secrets: { invitation: JSON.stringify(invited) } }
  },
  change: async ({ api }, { id }, content) => {
    const body = pickMembers(content, ['role'])
    if (!id.startsWith(INVITED)) {
      await api.send('PATCH', `${MEMBERS}/${id}`, body)
      return
    }
    await api.remove(`${INVITATIONS}/${id.slice(INVITED.length)}`)
    await api.send('POST', INVITATIONS, { ...body, email: content['email'] })
  },
  remove: async ({ api }, { id }) =>
    id.startsWith(INVITED)
      ? await api.remove(`${INVITATIONS}/${id.slice(INVITED.length)}`)
      : await api.remove(`${MEMBERS}/${id}`),
}

const KEY_MEMBERS = ['name', 'note', 'scopes', 'networks', 'expires_at']

/** Keys without a name are not part of files. A revoked or replaced key does not count. */
export const apiKeys: Kind = {
  noun: 'API key',
  nameOf: (content) => textOf(content, 'name'),
  normalize: (content) => ({
    note: '',
    ...content,
    scopes: sortedTexts(content['scopes'] ?? null),
    networks: sortedTexts(content['networks'] ?? null),
    expires_at: timeText(content['expires_at'] ?? null),
  }),
  fixed: ['type'],
  read: async ({ api }) => {
    const keys = await api.get<KeyRecord[]>(KEYS)
    return keys
      .filter(({ name, revoked_at, replaced_by }) => name !== '' && !revoked_at && !replaced_by)
      .map(({ key_id, name, type, note, scopes, networks, expires_at }) => ({
        id: key_id,
        name,
        content: { name, type, note, scopes, networks, expires_at },
      }))
  },
  create: async ({ api }, content) => {
    const body = pickMembers(content, ['type', ...KEY_MEMBERS])
    const { key_id, key } = await api.send<CreatedKey>('POST', KEYS, body)
    return { id: key_id, secrets: { key } }
  },
  change: async ({ api }, { id }, content, changed) => {
    await api.send('PATCH', `${KEYS}/${id}`, pickMembers(content, changed))
  },
  remove: async ({ api }, { id }) => {
    await api.send('POST', `${KEYS}/revoke`, { key_id: id })
  },
}
