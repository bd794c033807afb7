/** What the organisation notes about a device. Nothing of it changes anything on the device. */
import { useState } from 'preact/hooks'
import type { Device } from '../../../../../src/modules/mdm/devices/schema.ts'
import { Button, Facts, Section } from '../../../components/index.ts'
import { useOrg } from '../../../shell/organization.ts'
import { words } from '../words.ts'
import { NotedDialog } from './noted-dialog.tsx'

export function NotedSection({ device }: { device: Device }) {
  const { is_admin } = useOrg()
  const [isOpen, setOpen] = useState(false)
  const attributes = Object.entries(device.custom_attributes)
  return (
    <Section
      title="Noted by the organisation"
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
          ['Ownership', words(device.ownership_type)],
          ...attributes.map(
            ([name, value]) =>
              [
                name,
                typeof value === 'string' ? value : <code>{JSON.stringify(value)}</code>,
              ] as const,
          ),
        ]}
      />
      {attributes.length === 0 && <p class="muted">No custom attributes.</p>}
      {isOpen && <NotedDialog device={device} onClose={() => setOpen(false)} />}
    </Section>
  )
}
