/** Members as the service tells them. */
import type { Member } from '../../../../src/modules/accounts/schema.ts'
import type { Answer } from '../../api/client.ts'

export type ShownMember = Answer<Member>

export const MEMBERS = '/console/api/members'

/** What may look different once a member has changed. */
export const AFFECTED = [
  MEMBERS,
  '/console/api/invitations',
  '/console/api/audit',
  '/console/api/me',
]
