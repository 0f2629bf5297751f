// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sends requests to triton_peer.py's stdin and reads answers from its stdout, one JSON object per
// line.
#include "triton_peer.h"

#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

struct triton_peer {
    pid_t child;
    FILE *requests, *answers;
};

triton_peer_t *triton_peer_start(const char *python)
{
    int down[2], up[2];
    triton_peer_t *peer = calloc(1, sizeof *peer);
    if (!peer || pipe(down) != 0 || pipe(up) != 0 || (peer->child = fork()) < 0) {
        perror("bench: Triton's process");
        free(peer);
        return NULL;
    }
    if (peer->child == 0) {
        dup2(down[0], STDIN_FILENO);
        dup2(up[1], STDOUT_FILENO);
        close(down[1]);
        close(up[0]);
        execlp(python, python, KILN_BENCH_DIR "/triton_peer.py", (char *)NULL);
        perror(python);
        _exit(127);
    }
    signal(SIGPIPE, SIG_IGN); // if the process died, its answer is missing
    close(down[0]);
    close(up[1]);
    peer->requests = fdopen(down[1], "w");
    peer->answers = fdopen(up[0], "r");
    return peer;
}

void triton_peer_stop(triton_peer_t *peer)
{
    if (!peer)
        return;
    fclose(peer->requests);
    fclose(peer->answers);
    waitpid(peer->child, NULL, 0);
    free(peer);
}

bool triton_peer_compile(triton_peer_t *peer, const triton_request_t *request, const char *out,
                         triton_answer_t *out_answer)
{
    json_t *options =
        json_pack("{si, si}", "num_warps", request->num_warps, "num_stages", request->num_stages);
    const struct {
        const char *name;
        int value;
    } rest[] = {{"matrix_instr_nonkdim", request->matrix_instr_nonkdim},
                {"waves_per_eu", request->waves_per_eu},
                {"kpack", request->kpack}};
    for (size_t i = 0; i < sizeof rest / sizeof *rest; i++)
        if (rest[i].value)
            json_object_set_new(options, rest[i].name, json_integer(rest[i].value));
    json_t *line = json_pack("{ss, si, ss, so}", "path", request->path, "repeat", request->repeat,
                             "out", out, "options", options);
    char *text = json_dumps(line, JSON_COMPACT), *answer = NULL;
    json_decref(line);
    fprintf(peer->requests, "%s\n", text);
    fflush(peer->requests);
    free(text);
    size_t capacity = 0;
    if (getline(&answer, &capacity, peer->answers) < 0) {
        fprintf(stderr, "bench: Triton's process has ended\n");
        free(answer);
        return false;
    }
    json_t *json = json_loads(answer, 0, NULL);
    const char *error = json_string_value(json_object_get(json, "error"));
    json_t *ms = json_object_get(json, "ms");
    *out_answer =
        (triton_answer_t){.ms = json_number_value(ms),
                          .lds_bytes = (unsigned)json_integer_value(json_object_get(json, "lds"))};
    bool good = json_is_number(ms);
    if (!good)
        fprintf(stderr, "bench: Triton does not compile %s: %s\n", request->path,
                error ? error : answer);
    json_decref(json);
    free(answer);
    return good;
}
