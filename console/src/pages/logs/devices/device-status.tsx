import type { KnownDevice } from '../../../../../src/modules/edge/devices/schema.ts'
import { Badge } from '../../../components/index.ts'

export const DeviceStatus = ({ device: { status } }: { device: Pick<KnownDevice, 'status'> }) => (
  <Badge tone={status === 'active' ? 'good' : 'warn'}>{status}</Badge>
)
