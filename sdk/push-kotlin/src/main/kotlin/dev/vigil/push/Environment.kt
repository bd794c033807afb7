/** Time and chance, which the tests of the contract replace. */
package dev.vigil.push

import java.util.concurrent.Callable
import java.util.concurrent.ScheduledExecutorService
import java.util.concurrent.ScheduledThreadPoolExecutor
import java.util.concurrent.ThreadFactory
import java.util.concurrent.TimeUnit

internal interface Environment {
    fun now(): Long

    /** From 0 up to 1. */
    fun random(): Double

    /** Calls the function later on [loop], and returns a function that prevents it. */
    fun delay(loop: ScheduledExecutorService, ms: Long, action: () -> Any): () -> Unit
}

internal object SystemEnvironment : Environment {
    override fun now(): Long = System.currentTimeMillis()

    override fun random(): Double = Math.random()

    override fun delay(loop: ScheduledExecutorService, ms: Long, action: () -> Any): () -> Unit {
        val timer = loop.schedule(Callable { action() }, ms, TimeUnit.MILLISECONDS)
        return { timer.cancel(false) }
    }
}

/** Threads that do not keep a program running. */
internal fun daemons(name: String) = ThreadFactory { work ->
    Thread(work, name).apply { isDaemon = true }
}

internal fun newLoop(): ScheduledExecutorService =
    ScheduledThreadPoolExecutor(1, daemons("vigil-push")).apply {
        executeExistingDelayedTasksAfterShutdownPolicy = false
    }
