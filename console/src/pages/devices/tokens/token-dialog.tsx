/** What a phone is enrolled with: a QR code to be scanned, or a value to be typed. */
import type { Token } from '../../../../../src/modules/mdm/tokens/schema.ts'
import { CodeBlock, Copyable, Dialog, Facts, Time } from '../../../components/index.ts'
import { useNames } from '../names.ts'
import { words } from '../words.ts'
import { QrCode } from './qr.tsx'

export function TokenDialog({ token, onClose }: { token: Token; onClose: () => void }) {
  const names = useNames()
  const { policy_id, management_mode, one_time, expires_at, token_value, qr_content } = token
  return (
    <Dialog title={`Enrol with ${names.policy(policy_id)}`} onClose={onClose}>
      <div class="stack">
        <QrCode
          content={qr_content}
          label="QR code of the enrolment token; its content is below as text"
        />
        <p>
          {management_mode === 'fully_managed'
            ? 'On a new phone, or one that was reset, tap the first screen six times and hold it before this code.'
            : 'On the phone, open Settings, Google, Set up & restore, Set up your work profile, and scan this code or type the token.'}
        </p>
        <Facts
          facts={[
            ['Mode', words(management_mode)],
            ['Enrols', one_time ? 'one device' : 'any number of devices'],
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
