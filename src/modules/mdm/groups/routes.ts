/** Groups of devices (specification, "MDM"): members read, owners and admins make changes. */
import type { App } from '../../../platform/http/app.ts'
import { envelope, responses } from '../../../platform/http/envelope.ts'
import { notFound } from '../../../platform/http/errors.ts'
import { found } from '../../../platform/http/found.ts'
import { mdmRoute } from '../route.ts'
import { assignmentMaxBytes, type GroupFieldLimits, groupSchemas } from './schema.ts'
import type { Groups } from './service.ts'

export type GroupRouteDependencies = { groups: Groups; field_limits: GroupFieldLimits }

const LISTED = 'Groups'
const CREATED = 'Group created'
const UPDATED = 'Group updated'
const DELETED = 'Group deleted'
const ASSIGNED = 'Devices assigned'

export function groupRoutes(app: App, { groups, field_limits }: GroupRouteDependencies): void {
  const schemas = groupSchemas(field_limits)

  app.get(
    '/v1/mdm/groups',
    mdmRoute('read', {
      operationId: 'listMdmGroups',
      summary: 'Groups of devices, newest first, each with its last command',
      'x-open-point': 'OP-28, OP-77, OP-79, OP-84',
      response: responses(schemas.groups, LISTED),
    }),
    async ({ member }) => envelope(LISTED, await groups.list(member.org_id)),
  )

  app.post(
    '/v1/mdm/groups',
    mdmRoute('change', {
      operationId: 'createMdmGroup',
      summary: 'Create a group; its devices receive its policy, if it has one',
      'x-open-point': 'OP-18, OP-28, OP-37, OP-79, OP-80, OP-84',
      body: schemas.create,
      response: responses(schemas.group, CREATED),
    }),
    async ({ member: { org_id, user_id }, body }) =>
      envelope(CREATED, await groups.create(user_id, org_id, body)),
  )

  app.patch(
    '/v1/mdm/groups/:group_id',
    mdmRoute('change', {
      operationId: 'updateMdmGroup',
      summary: 'Rename a group, or change the policy of the group and its devices',
      'x-open-point': 'OP-18, OP-28, OP-37, OP-38, OP-79, OP-84',
      params: schemas.groupId,
      body: schemas.update,
      response: responses(schemas.group, UPDATED),
    }),
    async ({ member: { org_id, user_id }, params, body }) =>
      envelope(UPDATED, found(await groups.update(user_id, org_id, params.group_id, body))),
  )

  app.delete(
    '/v1/mdm/groups/:group_id',
    mdmRoute('change', {
      operationId: 'deleteMdmGroup',
      summary: 'Delete a group; its devices return to the policies they enrolled with',
      'x-open-point': 'OP-28, OP-38, OP-79, OP-84',
      params: schemas.groupId,
      response: responses(schemas.nothing, DELETED),
    }),
    async ({ member: { org_id, user_id }, params }) => {
      if (!(await groups.remove(user_id, org_id, params.group_id))) throw notFound()
      return envelope(DELETED, {})
    },
  )

  app.post(
    '/v1/mdm/groups/:group_id/devices',
    mdmRoute(
      'change',
      {
        operationId: 'assignMdmDevices',
        summary: 'Assign devices to a group; they receive its policy',
        'x-open-point': 'OP-18, OP-28, OP-37, OP-38, OP-79, OP-84',
        params: schemas.groupId,
        body: schemas.assign,
        response: responses(schemas.group, ASSIGNED),
      },
      { max_bytes: assignmentMaxBytes(field_limits) },
    ),
    async ({ member: { org_id, user_id }, params, body }) => {
      const group = await groups.assign(user_id, org_id, params.group_id, body.device_ids)
      return envelope(ASSIGNED, found(group))
    },
  )
}
