/** The way out of management. */
import { useState } from 'preact/hooks'
import type { Device } from '../../../../../src/modules/mdm/devices/schema.ts'
import { useChange } from '../../../api/read.ts'
import { Button, Confirm } from '../../../components/index.ts'
import { useOrg } from '../../../shell/organization.ts'
import { CHANGED } from '../names.ts'
import { deviceTitle } from '../words.ts'

const TYPED = 'DELETE'

export function DeviceActions({ device }: { device: Device }) {
  const { id: org_id, is_admin } = useOrg()
  const [isAsked, setAsked] = useState(false)
  const remove = useChange(
    () => ({ method: 'DELETE', path: `/v1/mdm/devices/${device.id}`, query: { org_id } }),
    {
      quiet: true,
      changes: CHANGED,
      done: 'The device will be unenrolled and wiped',
      onDone: () => setAsked(false),
    },
  )
  const isLeaving = device.deletion_requested_at !== null || device.state === 'deleted'
  if (!is_admin || isLeaving) return null
  return (
    <>
      <Button kind="danger" onClick={() => setAsked(true)}>
        Delete device
      </Button>
      {isAsked && (
        <Confirm
          title={`Delete ${deviceTitle(device)}`}
          action="Delete and wipe"
          typed={TYPED}
          busy={remove.isPending}
          error={remove.error}
          onConfirm={() => remove.mutate()}
          onClose={() => setAsked(false)}
        >
          <p>
            The device is removed from management and wiped: a company-owned one is reset to factory
            settings, of a personally owned one the work profile is removed. It cannot be taken
            back.
          </p>
          <p>Commands that have not ended are cancelled. The record and its history stay.</p>
        </Confirm>
      )}
    </>
  )
}
