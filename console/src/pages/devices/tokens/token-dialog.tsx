import type { ListedToken } from '../../../../../src/modules/mdm/tokens/schema.ts'
import { CodeBlock, Copyable, Dialog, Facts, Time } from '../../../components/index.ts'
import { QrCode } from '../../../components/qr.tsx'
import { useNames } from '../names.ts'
import { termText } from '../terms.ts'

export function TokenDialog({ token, onClose }: { token: ListedToken; onClose: () => void }) {
  const names = useNames()
  const { policy_id, management_mode, one_time, expires_at, token_value, qr_content } = token
  if (token_value === null || qr_content === null) return null
  return (
    <Dialog title={`Enroll with ${names.policy(policy_id)}`} onClose={onClose}>
      <div class="stack">
        <QrCode
          content={qr_content}
          label="QR code of the enrollment token. Its content follows as text."
        />
        <p>
          {management_mode === 'fully_managed'
            ? 'On a new device or after a factory reset, tap the first screen six times and scan this code.'
            : 'On the device, open Settings > Google > Set up & restore > Set up your work profile, and scan this code or enter the token.'}
        </p>
        <Facts
          facts={[
            ['Mode', termText(management_mode)],
            ['Enrolls', one_time ? 'one device' : 'any number of devices'],
            ['Expires', <Time key="expires" at={expires_at} />],
            ['Token', <Copyable key="value" text={token_value} label="Copy token" />],
          ]}
        />
        <details>
          <summary>Content of the QR code</summary>
          <CodeBlock text={qr_content} label="Content of the QR code" />
        </details>
      </div>
    </Dialog>
  )
}
