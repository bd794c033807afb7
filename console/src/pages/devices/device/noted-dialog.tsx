import { useState } from 'preact/hooks'
import type { Device, DeviceUpdate } from '../../../../../src/modules/mdm/devices/schema.ts'
import { useChange } from '../../../api/read.ts'
import { Actions, Button, Dialog, Form, SelectField, TextField } from '../../../components/index.ts'
import { useOrg } from '../../../shell/organization.ts'
import { CHANGED } from '../names.ts'
import { words } from '../words.ts'
import { AttributeFields } from './attribute-fields.tsx'
import { type Attribute, attributesOf, faultsOf, recordOf } from './attributes.ts'

const OWNERSHIPS = ['company_owned', 'personally_owned'] as const

export function NotedDialog({ device: current, onClose }: { device: Device; onClose: () => void }) {
  const { id: org_id } = useOrg()
  // As it was when the dialog was opened: it is read again meanwhile.
  const [device] = useState(current)
  const [name, setName] = useState(device.name ?? '')
  const [user, setUser] = useState(device.assigned_user_id ?? '')
  const [ownership, setOwnership] = useState(device.ownership_type)
  const [begun] = useState<readonly Attribute[]>(() => attributesOf(device.custom_attributes))
  const [attributes, setAttributes] = useState(begun)
  const faults = faultsOf(attributes)
  const save = useChange<DeviceUpdate>(
    (body) => ({ method: 'PATCH', path: `/v1/mdm/devices/${device.id}`, query: { org_id }, body }),
    { quiet: true, changes: CHANGED, done: 'Device updated', onDone: onClose },
  )
  const submit = () => {
    if (faults.size > 0) return
    // What was not touched is left as others may have changed it.
    save.mutate({
      ...(name !== (device.name ?? '') && { name: name === '' ? null : name }),
      ...(user !== (device.assigned_user_id ?? '') && {
        assigned_user_id: user === '' ? null : user,
      }),
      ...(ownership !== device.ownership_type && { ownership_type: ownership }),
      ...(attributes !== begun && { custom_attributes: recordOf(attributes) }),
    })
  }
  return (
    <Dialog title="What the organisation notes" onClose={onClose}>
      <Form onSubmit={submit} error={save.error}>
        <TextField label="Name" name="name" value={name} onInput={setName} />
        <TextField
          label="Assigned user"
          name="assigned_user_id"
          hint="As your own systems call the person."
          value={user}
          onInput={setUser}
        />
        <SelectField
          label="Ownership"
          name="ownership_type"
          hint="Commands go by what the device reports, not by this."
          value={ownership}
          options={OWNERSHIPS.map((value) => ({ value, label: words(value) }))}
          onChange={setOwnership}
        />
        <AttributeFields attributes={attributes} faults={faults} onChange={setAttributes} />
        <Actions>
          <Button type="submit" kind="primary" busy={save.isPending} disabled={faults.size > 0}>
            Save
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </Actions>
      </Form>
    </Dialog>
  )
}
