/** Inventory details that members enter. They have no effect on the device. */
import { useState } from 'preact/hooks'
import type { Device, DeviceUpdate } from '../../../../../src/modules/mdm/devices/schema.ts'
import {
  Button,
  Facts,
  FormDialog,
  Section,
  SelectField,
  TextField,
  useFields,
} from '../../../components/index.ts'
import { useOrg } from '../../../shell/organization.ts'
import { useMdmChange } from '../names.ts'
import { termText } from '../terms.ts'
import { AttributeFields } from './attribute-fields.tsx'
import { type Attribute, attributesOf, faultsOf, recordOf } from './attributes.ts'

export function InventorySection({ device }: { device: Device }) {
  const { is_admin } = useOrg()
  const [isOpen, setOpen] = useState(false)
  const attributes = Object.entries(device.custom_attributes)
  return (
    <Section
      title="Inventory details"
      actions={
        is_admin && (
          <Button size="small" onClick={() => setOpen(true)}>
            Edit
          </Button>
        )
      }
    >
      <Facts
        facts={[
          ['Name', device.name],
          ['Assigned user', device.assigned_user_id],
          ['Ownership', termText(device.ownership_type)],
          ...attributes.map(([name, value]) => [name, valueOf(value)] as const),
        ]}
      />
      {attributes.length === 0 && <p class="muted">No custom attributes.</p>}
      {isOpen && <InventoryDialog device={device} onClose={() => setOpen(false)} />}
    </Section>
  )
}

const valueOf = (value: unknown) =>
  typeof value === 'string' ? value : <code>{JSON.stringify(value)}</code>

const OWNERSHIPS = ['company_owned', 'personally_owned'] as const

type Props = { device: Device; onClose: () => void }

function InventoryDialog({ device: current, onClose }: Props) {
  // The state when the dialog was opened, because the page reloads the device in the background.
  const [device] = useState(current)
  const { values, field } = useFields({
    name: device.name ?? '',
    assigned_user_id: device.assigned_user_id ?? '',
    ownership_type: device.ownership_type,
  })
  const [initial] = useState<readonly Attribute[]>(() => attributesOf(device.custom_attributes))
  const [attributes, setAttributes] = useState(initial)
  const faults = faultsOf(attributes)
  const save = useMdmChange(
    () => ({ method: 'PATCH', path: `/v1/mdm/devices/${device.id}`, body: changed() }),
    { toast: 'Device updated', onSuccess: onClose },
  )
  // Unedited fields are not sent, so that changes by others are not reverted.
  const changed = (): DeviceUpdate => {
    const { name, assigned_user_id, ownership_type } = values
    return {
      ...(name !== (device.name ?? '') && { name: name || null }),
      ...(assigned_user_id !== (device.assigned_user_id ?? '') && {
        assigned_user_id: assigned_user_id || null,
      }),
      ...(ownership_type !== device.ownership_type && { ownership_type }),
      ...(attributes !== initial && { custom_attributes: recordOf(attributes) }),
    }
  }
  return (
    <FormDialog
      title="Edit inventory details"
      action="Save"
      change={save}
      disabled={faults.size > 0}
      onSubmit={() => faults.size === 0 && save.mutate()}
      onClose={onClose}
    >
      <TextField label="Name" {...field('name')} />
      <TextField
        label="Assigned user"
        hint="The ID of the person in your own systems."
        {...field('assigned_user_id')}
      />
      <SelectField
        label="Ownership"
        hint="Commands use the ownership that the device reports, not this value."
        {...field('ownership_type')}
        options={OWNERSHIPS.map((value) => ({ value, label: termText(value) }))}
      />
      <AttributeFields attributes={attributes} faults={faults} onChange={setAttributes} />
    </FormDialog>
  )
}
