/**
 * The organization of a request. `org_id` is declared, validated and removed from the request here,
 * so that handlers see the stored id of an organization that the caller belongs to and no other.
 */
import type { FastifyRequest, RouteOptions } from 'fastify'
import { type AppError, forbidden, notFound } from '../../platform/http/errors.ts'
import { hasPlan, type Membership, ROLES } from '../accounts/index.ts'
import type { MemberAccess, OrgIdPlace } from './declaration.ts'
import { planName } from './description.ts'

type ObjectSchema = {
  type: 'object'
  properties?: Record<string, unknown>
  required?: readonly string[]
  examples?: readonly unknown[]
  $id?: string
}

/** Schemas for parts that a route does not declare. */
const EMPTY: Record<OrgIdPlace, ObjectSchema> = {
  query: { type: 'object', properties: {} },
  body: {
    $id: 'OrganizationRequest',
    type: 'object',
    properties: {},
    examples: [{ org_id: '0198c3a2-0000-7c3d-9a54-3f2b8e6d1c07' }],
  },
}
const ORG_ID = { type: 'string', description: 'Organization that you are a member of' }

/** Adds `org_id` to the schema of the route, and returns the part of the request that contains it. */
export function declareOrgId(route: RouteOptions, access: MemberAccess): OrgIdPlace {
  const place = access.org_id_in ?? defaultPlace(String(route.method))
  const part = place === 'body' ? 'body' : 'querystring'
  const declared = (route.schema?.[part] ?? EMPTY[place]) as ObjectSchema
  const { properties, required = [] } = declared
  if (properties === undefined || 'org_id' in properties) {
    const name = `${String(route.method)} ${route.url}`
    throw new Error(`The ${part} of ${name} must be an object that leaves org_id to its access`)
  }
  const extended = {
    ...declared,
    properties: { org_id: ORG_ID, ...properties },
    required: ['org_id', ...required],
  }
  route.schema = { ...route.schema, [part]: extended }
  return place
}

const defaultPlace = (method: string): OrgIdPlace =>
  method === 'GET' || method === 'DELETE' ? 'query' : 'body'

/** Removes the validated `org_id` from the request and returns it. */
export function takeOrgId(request: FastifyRequest, place: OrgIdPlace): string {
  const { org_id, ...rest } = request[place] as { org_id: string }
  request[place] = rest
  return org_id
}

/** @throws AppError 403 or 404 for users who may not call the route */
export function admit(access: MemberAccess, membership: Membership | undefined): Membership {
  const refusal = refusalOf(access, membership)
  if (refusal || !membership) throw refusal ?? notFound()
  return membership
}

/** @returns undefined for users who may call the route */
export function refusalOf(
  { member, plan, others = 404 }: MemberAccess,
  membership: Membership | undefined,
): AppError | undefined {
  if (!membership)
    return others === 403 ? forbidden('Members of the organization only') : notFound()
  if (plan !== undefined && !hasPlan(membership.plan, plan)) {
    return forbidden(`A ${planName(plan)} or higher plan is required`)
  }
  if (ROLES.indexOf(membership.role) > ROLES.indexOf(member)) {
    return forbidden(member === 'owner' ? 'Owners only' : 'Owners and admins only')
  }
  return undefined
}
