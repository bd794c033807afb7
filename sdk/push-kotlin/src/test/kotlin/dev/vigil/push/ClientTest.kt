/** Options, deadlines and the storage of this client, which the contract does not cover. */
package dev.vigil.push

import java.io.File
import java.net.InetAddress
import java.net.ServerSocket
import java.nio.file.Path
import java.util.UUID
import java.util.concurrent.CancellationException
import java.util.concurrent.CountDownLatch
import java.util.concurrent.TimeUnit
import okhttp3.Interceptor
import okhttp3.MediaType.Companion.toMediaType
import okhttp3.OkHttpClient
import okhttp3.Protocol
import okhttp3.Response
import okhttp3.ResponseBody.Companion.toResponseBody
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Assertions.assertNull
import org.junit.jupiter.api.Assertions.assertThrows
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.io.TempDir

class ClientTest {
    @TempDir lateinit var folder: Path

    private fun options(
        apiKey: String = "pk_test_1",
        serviceUrl: String = "https://vigil.example.com/",
        timeoutMs: Long = 20_000,
        identity: IdentitySource? = null,
        http: Interceptor = Interceptor { registered(it) },
    ) = PushOptions(
        serviceUrl = serviceUrl,
        apiKey = apiKey,
        applicationId = UUID.randomUUID().toString(),
        storage = FileStorage(folder.toFile()),
        identity = identity,
        timeoutMs = timeoutMs,
        http = OkHttpClient.Builder().addInterceptor(http).build(),
    )

    private fun registered(chain: Interceptor.Chain): Response {
        assertEquals("https://vigil.example.com/sdk/push/subscriptions", chain.request().url.toString())
        val content = """{"subscription_id":"s","subscription_secret":"x","external_user_id":null}"""
        val body = """{"success":true,"message":"Message","content":$content}"""
        return Response.Builder().request(chain.request()).protocol(Protocol.HTTP_1_1).code(200).message("")
            .body(body.toResponseBody("application/json".toMediaType())).build()
    }

    private val token = Facts(token = "cJk3vT0PQ8:APA91bHun4MxP5egoKMwt2KZFBaFUH")

    @Test
    fun `a secret key and an invalid address are refused`() {
        assertThrows(IllegalArgumentException::class.java) { options(apiKey = "sk_test_1") }
        assertThrows(IllegalArgumentException::class.java) { options(serviceUrl = "vigil.example.com") }
    }

    @Test
    fun `a user cannot be identified without a backend`() {
        VigilPush(options()).use { push ->
            assertThrows(IllegalStateException::class.java) { push.identify("anna") }
        }
    }

    @Test
    fun `the state is in a file that another client continues with`() {
        val options = options()
        VigilPush(options).use { assertTrue(it.update(token).get(30, TimeUnit.SECONDS).isSynced) }
        assertEquals(listOf("vigil_push_${options.applicationId}.json"), folder.toFile().list()?.toList())
        VigilPush(options).use { assertEquals("s", it.sync().get(30, TimeUnit.SECONDS).subscriptionId) }
    }

    @Test
    fun `a file that does not exist is an empty storage`() {
        val storage = FileStorage(File(folder.toFile(), "new"))
        assertNull(storage.read("key"))
        storage.write("key", "first")
        storage.write("key", "second")
        assertEquals("second", storage.read("key"))
    }

    @Test
    fun `a request that is never answered ends at its deadline`() {
        ServerSocket(0, 1, InetAddress.getLoopbackAddress()).use { silent ->
            val serviceUrl = "http://127.0.0.1:${silent.localPort}"
            val options = options(serviceUrl = serviceUrl, timeoutMs = 500, http = { it.proceed(it.request()) })
            VigilPush(options).use { assertFalse(it.update(token).get(30, TimeUnit.SECONDS).isSynced) }
        }
    }

    @Test
    fun `a backend that never answers is interrupted at its deadline`() {
        val interrupted = CountDownLatch(1)
        val identity = IdentitySource {
            try {
                CountDownLatch(1).await()
            } catch (_: InterruptedException) {
                interrupted.countDown()
            }
            null
        }
        VigilPush(options(timeoutMs = 500, identity = identity)).use { push ->
            push.update(token).get(30, TimeUnit.SECONDS)
            assertFalse(push.identify("anna").get(30, TimeUnit.SECONDS).isSynced)
            assertTrue(interrupted.await(30, TimeUnit.SECONDS))
        }
    }

    @Test
    fun `calls after closing are canceled`() {
        val push = VigilPush(options())
        push.close()
        assertThrows(CancellationException::class.java) { push.sync().get(30, TimeUnit.SECONDS) }
    }
}
