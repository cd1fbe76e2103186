/* SPDX-License-Identifier: Apache-2.0 */
/* All that the engine and an in-situ module know of each other. Plain C: the module is opened with dlopen when a case asks
   for it, so that the program links none of what the module needs. All functions are collective over the communicator. */
#ifndef TESSERA_INSITU_H
#define TESSERA_INSITU_H
#include <mpi.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

enum { insitu_version = 1 };
enum insitu_type { insitu_uint8, insitu_int32, insitu_int64, insitu_float32, insitu_float64 };
enum insitu_channel_bit { insitu_grid = 1, insitu_preview = 2 }; /* all cells | block means of at most 512 x 512 cells */
enum insitu_ghost { insitu_owned = 0, insitu_duplicate = 1, insitu_hidden = 32 }; /* as VTK's vtkGhostType */

/* Values of one field on a tile, in the engine's own memory: the stored cells lo .. lo + n - 1 of each axis (halo and
   alignment included), x fastest, without gaps. They are const and valid until execute returns. */
typedef struct insitu_array {
  const void* data;           /* first stored cell */
  const unsigned char* ghost; /* an insitu_ghost a stored cell; tiles of one shape share it */
  int64_t lo[3], n[3];        /* positions in the channel's grid, which may be negative */
} insitu_array;

/* A tile: cells lo .. hi - 1 are its own. Cells whose ghost is `duplicate` are another tile's, `hidden` ones mean nothing. */
typedef struct insitu_tile {
  int32_t id; /* 0 .. tiles_global - 1 */
  int64_t lo[3], hi[3];
  const insitu_array* arrays; /* one a field */
} insitu_tile;

typedef struct insitu_field {
  const char *name, *units;
  int32_t type; /* insitu_type */
} insitu_field;

typedef struct insitu_channel {
  int32_t bit;            /* insitu_grid or insitu_preview */
  int64_t cells[3];       /* of the channel; 1 along z: a plane */
  const double* faces[3]; /* cells + 1 coordinates an axis */
  int32_t uniform;        /* equal cells on every axis */
  int32_t fields_count, tiles_global, tiles_count; /* tiles_count: of this rank; a preview is one tile on rank 0 */
  const insitu_field* fields;
  const insitu_tile* tiles;
} insitu_channel;

typedef struct insitu_frame {
  int64_t step;
  double time;
  int32_t last; /* the run ends with this step */
  int32_t channels_count;
  const insitu_channel* channels;
} insitu_frame;

typedef struct insitu_script {
  const char* file;
  const char* const* args; /* ends with a null pointer */
  int32_t channels;        /* insitu_channel_bits that it reads */
} insitu_script;

typedef struct insitu_value { /* a number that a script gives back */
  char name[64];
  double value;
} insitu_value;

typedef struct insitu_module {
  int32_t version;       /* insitu_version */
  int32_t needs_display; /* scripts that render need an X server */
  /* null, or what is wrong with script *wrong (-1: with the module itself). */
  const char* (*init)(MPI_Comm, int nscripts, const insitu_script* scripts, int* wrong);
  /* Channels that the wanted scripts (a byte each, not 0: the engine's trigger fired) need now; 0: none. Cheap. */
  int (*due)(int64_t step, double time, int last, const unsigned char* wanted);
  /* Runs them after due said so. Number of values set, at most nvalues; -1 on failure. */
  int (*execute)(const insitu_frame* frame, insitu_value* values, int nvalues);
  void (*finalize)(void);
} insitu_module;

/* The one symbol of a module. */
const insitu_module* insitu_get_module(void);

#ifdef __cplusplus
}
#endif
#endif
