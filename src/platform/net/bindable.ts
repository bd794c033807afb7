import { createServer } from 'node:net'

/** @throws the system error when the address cannot be listened on */
export async function requireBindable(host: string, port: number): Promise<void> {
  const server = createServer()
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  await new Promise((resolve) => server.close(resolve))
}
