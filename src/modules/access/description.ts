/** Describes the access declaration of a route, for the OpenAPI document and docs/access.md. */
import type { Plan } from '../accounts/index.ts'
import { type Access, type AccessConfig, isMemberAccess } from './declaration.ts'

const CREDENTIALS: Record<Exclude<Access, object>, string> = {
  public: 'anyone',
  secret_key: 'secret key',
  public_key: 'public key',
  any_key: 'secret or public key',
  portal_link: 'link to a customer portal',
  user: 'signed-in user',
}

/** The kind of caller, such as `admin`, or `secret key` with the scope that a limited one needs. */
export function callerOf({ access = 'public', scope }: AccessConfig): string {
  if (isMemberAccess(access)) return access.member
  return scope === undefined ? CREDENTIALS[access] : `${CREDENTIALS[access]} with \`${scope}\``
}

const SENTENCES: Record<Exclude<Access, object>, string | undefined> = {
  public: undefined,
  secret_key: 'Requires a secret key.',
  public_key: 'Requires a public key.',
  any_key: 'Requires a secret or a public key.',
  portal_link: 'Requires the token of a link to a customer portal.',
  user: 'Requires a signed-in user.',
}

export function describeAccess({ access = 'public', scope }: AccessConfig): string | undefined {
  if (!isMemberAccess(access)) {
    const limited = scope === undefined ? '' : ` A limited key needs the scope \`${scope}\`.`
    return SENTENCES[access]?.concat(limited)
  }
  const { member, plan } = access
  const who = { owner: 'an owner', admin: 'an owner or admin', member: 'a member' }[member]
  const onPlan = plan === undefined ? '' : `, on the ${planName(plan)} plan or a higher one`
  return `Requires ${who} of the organization${onPlan}.`
}

/** Display name of a plan, such as `Starter`. */
export const planName = (plan: Plan): string => plan.charAt(0).toUpperCase() + plan.slice(1)

type Security = Record<string, string[]>[]

export function securityOf({ access = 'public', key_in_query }: AccessConfig): Security {
  if (access === 'public') return []
  if (access === 'user' || access === 'portal_link' || isMemberAccess(access)) {
    return [{ portal: [] }]
  }
  if (access === 'public_key') return [{ public_key: [] }]
  return [{ api_key: [] }, ...(key_in_query === true ? [{ public_key_in_query: [] }] : [])]
}
