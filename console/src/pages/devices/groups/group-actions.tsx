import { useState } from 'preact/hooks'
import type { Group } from '../../../../../src/modules/mdm/groups/schema.ts'
import { useChange } from '../../../api/read.ts'
import { Button, Confirm, numberText } from '../../../components/index.ts'
import { useGo } from '../../../shell/links.tsx'
import { useOrg } from '../../../shell/organization.ts'
import { CHANGED } from '../names.ts'
import { GroupDialog } from './group-dialog.tsx'

export function GroupActions({ group }: { group: Group }) {
  const { id: org_id, is_admin } = useOrg()
  const [open, setOpen] = useState<'edit' | 'delete'>()
  const go = useGo()
  const remove = useChange(
    () => ({ method: 'DELETE', path: `/v1/mdm/groups/${group.id}`, query: { org_id } }),
    {
      quiet: true,
      changes: CHANGED,
      done: 'Group deleted',
      onDone: () => go('/devices/groups'),
    },
  )
  if (!is_admin) return null
  const close = () => setOpen(undefined)
  return (
    <>
      <Button onClick={() => setOpen('edit')}>Edit group</Button>
      <Button kind="danger" onClick={() => setOpen('delete')}>
        Delete group
      </Button>
      {open === 'edit' && <GroupDialog group={group} onDone={close} onClose={close} />}
      {open === 'delete' && (
        <Confirm
          title={`Delete ${group.name}`}
          action="Delete group"
          busy={remove.isPending}
          error={remove.error}
          onConfirm={() => remove.mutate()}
          onClose={close}
        >
          <p>
            No device is deleted. Its {numberText(group.device_count)} devices are in no group
            afterwards, and get the policies that they enrolled with.
          </p>
        </Confirm>
      )}
    </>
  )
}
