import { createServer } from 'node:net'

/** @throws the error of the system when nobody can listen there at the moment */
export async function requireBindable(host: string, port: number): Promise<void> {
  const server = createServer()
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  await new Promise((resolve) => server.close(resolve))
}
