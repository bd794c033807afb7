/** Request and response schemas of device groups (specification, "MDM resources" and "MDM"; OP-28). */
import { type Static, Type } from 'typebox'
import { bodyMaxBytes, type Limits, maybe, nullable } from '../../../platform/http/schemas.ts'
import { groupCommand } from '../commands/schema.ts'

const EXAMPLE_POLICY_ID = '0198c3a2-8c2f-7d4e-8b65-4a3c9f7e2d18'
const EXAMPLE_GROUP = {
  id: '0198c3a2-a000-7c3d-9a54-3f2b8e6d1c07',
  name: 'Stores in Bern',
  policy_id: EXAMPLE_POLICY_ID,
  device_count: 40,
  last_command: null,
  created_at: '2026-02-01T08:00:00.000Z',
  updated_at: '2026-03-01T12:00:00.000Z',
}

const time = () => Type.String({ format: 'date-time' })

const group = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    name: Type.String(),
    policy_id: nullable(Type.String({ format: 'uuid' })),
    device_count: Type.Integer({ minimum: 0, description: 'Excludes deleted devices' }),
    last_command: nullable(groupCommand),
    created_at: time(),
    updated_at: time(),
  },
  { $id: 'DeviceGroup', examples: [EXAMPLE_GROUP], 'x-open-point': 'OP-28' },
)
export type Group = Static<typeof group>

export type GroupFieldLimits = Limits & { mdm_assignment_max: number }

/** An id in quotes, a comma and some space. */
const ID_BYTES = 64

export const assignmentMaxBytes = (limits: GroupFieldLimits): number =>
  bodyMaxBytes(limits) + limits.mdm_assignment_max * ID_BYTES

export const groupSchemas = ({ text_max_chars, mdm_assignment_max }: GroupFieldLimits) => {
  const name = Type.String({ minLength: 1, maxLength: text_max_chars })
  const policy_id = maybe(
    Type.String({ description: 'The policy that the devices of the group receive' }),
  )
  const create = Type.Object(
    { name, policy_id },
    {
      $id: 'DeviceGroupRequest',
      examples: [{ name: EXAMPLE_GROUP.name, policy_id: EXAMPLE_POLICY_ID }],
      'x-open-point': 'OP-28',
    },
  )
  const update = Type.Object(
    { name: Type.Optional(name), policy_id },
    { $id: 'DeviceGroupUpdate', examples: [{ policy_id: null }], 'x-open-point': 'OP-28' },
  )
  const assign = Type.Object(
    {
      device_ids: Type.Array(Type.String(), {
        minItems: 1,
        maxItems: mdm_assignment_max,
        description: 'Each device leaves the group that it is in',
      }),
    },
    {
      $id: 'DeviceGroupAssignment',
      examples: [{ device_ids: ['0198c3a2-7b1e-7c3d-9a54-3f2b8e6d1c07'] }],
    },
  )
  return {
    groupId: Type.Object({ group_id: Type.String() }),
    create,
    update,
    assign,
    group,
    groups: Type.Array(group),
    nothing: Type.Object({}),
  }
}

type Schemas = ReturnType<typeof groupSchemas>
export type CreateGroup = Static<Schemas['create']>
export type UpdateGroup = Static<Schemas['update']>
