/** Specification, "MDM": groups of devices, for members of the organisation; owners and admins act. */
import { userOf } from '../../../platform/http/access.ts'
import type { App } from '../../../platform/http/app.ts'
import { envelope, responses } from '../../../platform/http/envelope.ts'
import { notFound } from '../../../platform/http/errors.ts'
import type { Members } from '../../accounts/index.ts'
import { requireOperator, requireReader } from '../access.ts'
import { type GroupFieldLimits, groupSchemas } from './schema.ts'
import type { Groups } from './service.ts'

export type GroupRouteDependencies = {
  accounts: Members
  groups: Groups
  field_limits: GroupFieldLimits
}

const LISTED = 'Groups'
const CREATED = 'Group created'
const UPDATED = 'Group updated'
const DELETED = 'Group deleted'
const ASSIGNED = 'Devices assigned'

const config = { access: 'portal', rate_class: 'console' } as const
const tags = ['MDM']

export function groupRoutes(app: App, deps: GroupRouteDependencies): void {
  const schemas = groupSchemas(deps.field_limits)
  collectionRoutes(app, deps, schemas)
  oneGroupRoutes(app, deps, schemas)
}

type Schemas = ReturnType<typeof groupSchemas>

function collectionRoutes(app: App, deps: GroupRouteDependencies, schemas: Schemas): void {
  const { accounts, groups } = deps

  app.get(
    '/v1/mdm/groups',
    {
      config,
      schema: {
        operationId: 'listMdmGroups',
        summary: 'The groups of devices, the newest first, each with its last command',
        tags,
        'x-open-point': 'OP-28, OP-77, OP-79, OP-84',
        querystring: schemas.inOrganization,
        response: responses(schemas.groups, LISTED),
      },
    },
    async (request) => {
      const { org_id } = request.query
      await requireReader(accounts, userOf(request).user_id, org_id)
      return envelope(LISTED, await groups.list(org_id))
    },
  )

  app.post(
    '/v1/mdm/groups',
    {
      config,
      schema: {
        operationId: 'createMdmGroup',
        summary: 'Create a group; with a policy, its devices get that',
        tags,
        'x-open-point': 'OP-18, OP-28, OP-37, OP-79, OP-80, OP-84',
        querystring: schemas.inOrganization,
        body: schemas.create,
        response: responses(schemas.group, CREATED),
      },
    },
    async (request) => {
      const { org_id } = request.query
      const { user_id } = userOf(request)
      await requireOperator(accounts, user_id, org_id)
      return envelope(CREATED, await groups.create(user_id, org_id, request.body))
    },
  )
}

function oneGroupRoutes(app: App, deps: GroupRouteDependencies, schemas: Schemas): void {
  const { accounts, groups } = deps

  app.patch(
    '/v1/mdm/groups/:group_id',
    {
      config,
      schema: {
        operationId: 'updateMdmGroup',
        summary: 'Rename a group, or give it another policy or none, and so its devices',
        tags,
        'x-open-point': 'OP-18, OP-28, OP-37, OP-38, OP-79, OP-84',
        params: schemas.groupId,
        querystring: schemas.inOrganization,
        body: schemas.update,
        response: responses(schemas.group, UPDATED),
      },
    },
    async (request) => {
      const { org_id } = request.query
      const { user_id } = userOf(request)
      await requireOperator(accounts, user_id, org_id)
      const { group_id } = request.params
      return envelope(UPDATED, found(await groups.update(user_id, org_id, group_id, request.body)))
    },
  )

  app.delete(
    '/v1/mdm/groups/:group_id',
    {
      config,
      schema: {
        operationId: 'deleteMdmGroup',
        summary: 'Delete a group; its devices get the policies that they enrolled with',
        tags,
        'x-open-point': 'OP-28, OP-38, OP-79, OP-84',
        params: schemas.groupId,
        querystring: schemas.inOrganization,
        response: responses(schemas.nothing, DELETED),
      },
    },
    async (request) => {
      const { org_id } = request.query
      const { user_id } = userOf(request)
      await requireOperator(accounts, user_id, org_id)
      if (!(await groups.remove(user_id, org_id, request.params.group_id))) throw notFound()
      return envelope(DELETED, {})
    },
  )

  app.post(
    '/v1/mdm/groups/:group_id/devices',
    {
      config,
      schema: {
        operationId: 'assignMdmDevices',
        summary: 'Put devices into a group; they get its policy',
        tags,
        'x-open-point': 'OP-18, OP-28, OP-37, OP-38, OP-79, OP-84',
        params: schemas.groupId,
        querystring: schemas.inOrganization,
        body: schemas.assign,
        response: responses(schemas.group, ASSIGNED),
      },
    },
    async (request) => {
      const { org_id } = request.query
      const { user_id } = userOf(request)
      await requireOperator(accounts, user_id, org_id)
      const { device_ids } = request.body
      const group = await groups.assign(user_id, org_id, request.params.group_id, device_ids)
      return envelope(ASSIGNED, found(group))
    },
  )
}

function found<T>(record: T | undefined): T {
  if (record === undefined) throw notFound()
  return record
}
